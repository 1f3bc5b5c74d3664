/* A Direct3D 9 program of Windows: draws with shaders of models 2 and 3 and writes the images of all
 * cases, 64 x 64 pixels of four bytes each, to the file that its argument names. Prints one line for
 * each case; the exit status is not 0 after an error. */
#define COBJMACROS
#include <windows.h>
#include <d3d9.h>
#include <d3dcompiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 64

typedef HRESULT(WINAPI *Assemble)(const void *, SIZE_T, const char *, const void *, void *, UINT, ID3D10Blob **,
                                  ID3D10Blob **);

struct vertex {
    float position[3];
    DWORD color;
    float coordinates[2];
};

struct test_case {
    const char *name;
    const char *vertex;
    const char *pixel;
    /* Sets the states that only this case has. */
    void (*set_states)(IDirect3DDevice9 *device);
};

static Assemble assemble;

/* Ends the program if a call has failed. */
static void require(HRESULT result, const char *what)
{
    if (FAILED(result)) {
        printf("FAIL %s: %#lx\n", what, (unsigned long)result);
        fflush(stdout);
        exit(1);
    }
}

static IDirect3DDevice9 *create_device(void)
{
    HWND window = CreateWindowA("static", "d3d9", WS_POPUP, 0, 0, SIDE, SIDE, 0, 0, 0, 0);
    IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);
    IDirect3DDevice9 *device = NULL;
    D3DPRESENT_PARAMETERS parameters = {.Windowed = TRUE,
                                        .SwapEffect = D3DSWAPEFFECT_DISCARD,
                                        .BackBufferWidth = SIDE,
                                        .BackBufferHeight = SIDE,
                                        .BackBufferFormat = D3DFMT_X8R8G8B8,
                                        .hDeviceWindow = window};
    D3DCAPS9 caps;
    require(d3d ? S_OK : E_FAIL, "Direct3DCreate9");
    require(IDirect3D9_CreateDevice(d3d, 0, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters,
                                    &device),
            "CreateDevice");
    require(IDirect3DDevice9_GetDeviceCaps(device, &caps), "GetDeviceCaps");
    if (caps.VertexShaderVersion < D3DVS_VERSION(3, 0) || caps.PixelShaderVersion < D3DPS_VERSION(3, 0))
        require(E_FAIL, "shader model 3");
    return device;
}

/* Assembles a shader with the library of the system. */
static ID3D10Blob *assemble_shader(const char *source)
{
    ID3D10Blob *code = NULL, *messages = NULL;
    HRESULT result = assemble(source, strlen(source), NULL, NULL, NULL, 0, &code, &messages);
    if (messages)
        printf("%s\n", (const char *)ID3D10Blob_GetBufferPointer(messages));
    require(result, source);
    return code;
}

/* Creates a pixel shader. The assembler has no syntax for declarations of vPos and vFace: their tokens
 * are inserted after the version. */
static IDirect3DPixelShader9 *create_pixel_shader(IDirect3DDevice9 *device, const char *source)
{
    static const DWORD declarations[6] = {0x0200001f, 0x80000000, 0x90031000, 0x0200001f, 0x80000000, 0x900f1001};
    ID3D10Blob *code = assemble_shader(source);
    const DWORD *tokens = ID3D10Blob_GetBufferPointer(code);
    IDirect3DPixelShader9 *shader = NULL;
    size_t size = ID3D10Blob_GetBufferSize(code), inserted = strstr(source, "vPos") ? sizeof declarations : 0;
    DWORD *all = malloc(size + inserted);
    require(all ? S_OK : E_OUTOFMEMORY, "malloc");
    all[0] = tokens[0];
    memcpy(all + 1, declarations, inserted);
    memcpy((BYTE *)(all + 1) + inserted, tokens + 1, size - sizeof *all);
    require(IDirect3DDevice9_CreatePixelShader(device, all, &shader), source);
    free(all);
    return shader;
}

/* Writes a texture whose texels all differ. */
static void set_texture(IDirect3DDevice9 *device)
{
    IDirect3DTexture9 *texture;
    D3DLOCKED_RECT lock;
    require(IDirect3DDevice9_CreateTexture(device, 16, 16, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, NULL),
            "CreateTexture");
    require(IDirect3DTexture9_LockRect(texture, 0, &lock, NULL, 0), "LockRect");
    for (DWORD y = 0; y < 16; y++)
        for (DWORD x = 0; x < 16; x++)
            ((DWORD *)((BYTE *)lock.pBits + y * lock.Pitch))[x] =
                D3DCOLOR_ARGB(255 - x * y, x * 17, y * 17, (x ^ y) * 17);
    IDirect3DTexture9_UnlockRect(texture, 0);
    IDirect3DDevice9_SetTexture(device, 0, (IDirect3DBaseTexture9 *)texture);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MINFILTER, D3DTEXF_POINT);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MAGFILTER, D3DTEXF_POINT);
}

static void set_constants(IDirect3DDevice9 *device)
{
    static const float constants[8][4] = {{0.1f, 0.2f, 0.3f, 1}, {0.3f, 0.1f, 0, 0},     {0, 0.2f, 0.1f, 0},
                                          {0.05f, 0, 0.25f, 0},  {0.5f, 0.25f, 2, 4},     {0.125f, 0.0625f, 0.03125f, 0},
                                          {0.9f, 0.8f, 0.1f, 1}, {1.0f / 64, 0.5f, 0, 1}};
    static const int integers[2][4] = {{3, 1, 1, 0}, {4, 0, 1, 0}};
    static const BOOL booleans[2] = {TRUE, FALSE};
    IDirect3DDevice9_SetVertexShaderConstantF(device, 0, constants[0], 8);
    IDirect3DDevice9_SetPixelShaderConstantF(device, 0, constants[0], 8);
    IDirect3DDevice9_SetVertexShaderConstantI(device, 0, integers[0], 2);
    IDirect3DDevice9_SetPixelShaderConstantI(device, 0, integers[0], 2);
    IDirect3DDevice9_SetVertexShaderConstantB(device, 0, booleans, 2);
    IDirect3DDevice9_SetPixelShaderConstantB(device, 0, booleans, 2);
}

static void set_fog(IDirect3DDevice9 *device)
{
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGCOLOR, D3DCOLOR_ARGB(0, 40, 200, 90));
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGTABLEMODE, D3DFOG_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGVERTEXMODE, D3DFOG_NONE);
}

static void set_table_fog(IDirect3DDevice9 *device)
{
    union {
        float value;
        DWORD bits;
    } start = {0}, end = {1};
    set_fog(device);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGTABLEMODE, D3DFOG_LINEAR);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGSTART, start.bits);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGEND, end.bits);
}

static void set_blending(IDirect3DDevice9 *device)
{
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_SRCBLEND, D3DBLEND_SRCALPHA);
    IDirect3DDevice9_SetRenderState(device, D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA);
}

static void set_nothing(IDirect3DDevice9 *device)
{
    (void)device;
}

#define VS2 "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov oPos, v0\n"
#define VS3 \
    "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\n" \
    "dcl_position o0\ndcl_color o1\ndcl_texcoord o2.xy\nmov o0, v0\n"
#define PS3 "ps_3_0\ndcl_color v0\ndcl_texcoord v1.xy\n"

static const struct test_case cases[] = {
    {"texture of model 2", VS2 "mov oD0, v1\nmov oT0, v2\n",
     "ps_2_0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, v0\nmov oC0, r0\n", set_nothing},
    {"dependent texture of model 2", VS2 "mov oD0, v1\nmov oT0, v2\n",
     "ps_2_0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmad r0.xy, r0, c5.x, t0\ntexld r1, r0, s0\n"
     "lrp r0, c4.x, r1, v0\nmov oC0, r0\n",
     set_nothing},
    {"loop and constants of vertices of model 2",
     VS2 "mov r0, c0\nloop aL, i0\nadd r0, r0, c[aL]\nendloop\nif b0\nmul r0.y, r0.y, v1.x\nelse\nmov r0.y, c0.x\n"
         "endif\nmov oD0, r0\nmov oT0, v2\n",
     "ps_2_0\ndcl v0\nmov r0, v0\nmov oC0, r0\n", set_nothing},
    {"fog of vertices of model 2", VS2 "mov oD0, v1\nmov oT0, v2\nmov oFog, v2.x\n",
     "ps_2_0\ndcl v0\nmov oC0, v0\n", set_fog},
    {"fog of pixels of model 2", VS2 "mov oD0, v1\nmov oT0, v2\n", "ps_2_0\ndcl v0\nmov oC0, v0\n", set_table_fog},
    {"blending of model 2", VS2 "mov oD0, v1\nmov oT0, v2\n",
     "ps_2_0\ndcl v0\ndcl t0.xy\nmov r0, v0\nmov r0.w, t0.y\nmov oC0, r0\n", set_blending},
    {"loops and conditions of model 3",
     VS3 "mov r0, c0\nrep i0\nadd r0.x, r0.x, c5.x\nbreak_gt r0.x, c4.x\nendrep\nmov o1, r0\nmov o2.xy, v2\n",
     PS3 "mov r0, v0\nrep i1\nmad r0.y, v1.x, c5.x, r0.y\nendrep\nif_gt v1.y, c4.x\nmov r0.z, c6.x\nelse\n"
         "mov r0.z, c6.z\nendif\nmov oC0, r0\n",
     set_nothing},
    {"nested loops of model 3", VS3 "mov o1, v1\nmov o2.xy, v2\n",
     PS3 "mov r0, c0\nrep i1\nrep i0\nadd r0.x, r0.x, c5.z\nif_gt r0.x, v1.x\nbreak\nendif\n"
         "add r0.y, r0.y, c5.z\nendrep\nendrep\nmov oC0, r0\n",
     set_nothing},
    {"relative inputs of model 3",
     "vs_3_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\ndcl_position o0\ndcl_color o1\ndcl_texcoord o2\n"
     "dcl_texcoord1 o3\nmov o0, v0\nmov o1, v1\nmov o2, v2.xyxy\nmov o3, v1.zyxw\n",
     "ps_3_0\ndcl_color v0\ndcl_texcoord v1\ndcl_texcoord1 v2\nmov r0, c0\nloop aL, i0\n"
     "mad r0.xyz, v[aL], c5.x, r0\nendloop\nmov oC0, r0\n",
     set_nothing},
    {"position and face of model 3", VS3 "mov o1, v1\nmov o2.xy, v2\n",
     "ps_3_0\ndcl_color v0\nmov r0, v0\nmul r0.xy, vPos, c7.x\nmov r1, c6\n"
     "cmp r0.z, vFace, r1.x, r1.z\nmov oC0, r0\n",
     set_nothing},
    {"texture, its levels and derivatives of model 3", VS3 "mov o1, v1\nmov o2.xy, v2\n",
     PS3 "dcl_2d s0\nmov r1, c7.z\nmov r1.xy, v1\ntexldl r0, r1, s0\ndsx r2.x, v1.x\ndsy r2.y, v1.y\n"
         "texldd r3, v1, s0, r2.x, r2.y\nadd r0.y, r2.x, r0.x\nmul r0.z, r3.z, v0.x\nmov oC0, r0\n",
     set_nothing},
    {"predicates of model 3", VS3 "mov o1, v1\nmov o2.xy, v2\n",
     PS3 "mov r0, v0\nsetp_gt p0, v1.x, c4.x\n(p0) mov r0.x, c6.x\n(!p0) mov r0.y, c6.y\nmov oC0, r0\n", set_nothing},
};

static void draw(IDirect3DDevice9 *device, const struct test_case *test)
{
    static const struct vertex vertices[4] = {{{-1, -1, 0.1f}, 0xffff4020, {0, 1}},
                                              {{-1, 1, 0.3f}, 0xff20ff80, {0, 0}},
                                              {{1, -1, 0.6f}, 0x804020ff, {1, 1}},
                                              {{1, 1, 0.9f}, 0xffe0e0e0, {1, 0}}};
    ID3D10Blob *code = assemble_shader(test->vertex);
    IDirect3DVertexShader9 *vertex_shader;
    IDirect3DPixelShader9 *pixel_shader;
    require(IDirect3DDevice9_CreateVertexShader(device, ID3D10Blob_GetBufferPointer(code), &vertex_shader), test->name);
    pixel_shader = create_pixel_shader(device, test->pixel);
    IDirect3DDevice9_SetVertexShader(device, vertex_shader);
    IDirect3DDevice9_SetPixelShader(device, pixel_shader);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGENABLE, FALSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, FALSE);
    test->set_states(device);
    require(IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET, 0x60305070, 1, 0), "Clear");
    require(IDirect3DDevice9_BeginScene(device), "BeginScene");
    require(IDirect3DDevice9_DrawPrimitiveUP(device, D3DPT_TRIANGLESTRIP, 2, vertices, sizeof *vertices), test->name);
    require(IDirect3DDevice9_EndScene(device), "EndScene");
}

/* Appends the pixels of the render target to the file. */
static void write_pixels(IDirect3DDevice9 *device, IDirect3DSurface9 *target, FILE *file)
{
    IDirect3DSurface9 *copy;
    D3DLOCKED_RECT lock;
    require(IDirect3DDevice9_CreateOffscreenPlainSurface(device, SIDE, SIDE, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM, &copy,
                                                         NULL),
            "CreateOffscreenPlainSurface");
    require(IDirect3DDevice9_GetRenderTargetData(device, target, copy), "GetRenderTargetData");
    require(IDirect3DSurface9_LockRect(copy, &lock, NULL, D3DLOCK_READONLY), "LockRect");
    for (int y = 0; y < SIDE; y++)
        fwrite((const BYTE *)lock.pBits + y * lock.Pitch, 4, SIDE, file);
    IDirect3DSurface9_UnlockRect(copy);
    IDirect3DSurface9_Release(copy);
}

int main(int count, char **arguments)
{
    FILE *file = count == 2 ? fopen(arguments[1], "wb") : NULL;
    HMODULE library = LoadLibraryA("d3dcompiler_47.dll");
    IDirect3DSurface9 *target;
    require(file ? S_OK : E_FAIL, "the file of the argument");
    assemble = library ? (Assemble)(void *)GetProcAddress(library, "D3DAssemble") : NULL;
    require(assemble ? S_OK : E_FAIL, "D3DAssemble");
    IDirect3DDevice9 *device = create_device();
    require(IDirect3DDevice9_CreateRenderTarget(device, SIDE, SIDE, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE,
                                                &target, NULL),
            "CreateRenderTarget");
    require(IDirect3DDevice9_SetRenderTarget(device, 0, target), "SetRenderTarget");
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZ | D3DFVF_DIFFUSE | D3DFVF_TEX1);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZENABLE, FALSE);
    set_texture(device);
    set_constants(device);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draw(device, &cases[i]);
        write_pixels(device, target, file);
        printf("CASE %s\n", cases[i].name);
    }
    fflush(stdout);
    return fclose(file) != 0;
}
