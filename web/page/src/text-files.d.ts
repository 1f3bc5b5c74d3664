declare module "*.vp" {
  const text: string;
  export default text;
}
declare module "*.fp" {
  const text: string;
  export default text;
}
declare module "*.tgsi" {
  const text: string;
  export default text;
}
