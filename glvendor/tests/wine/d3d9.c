/* A Windows program with Direct3D 9 and shader model 3: a loop and a branch. It checks what the instructions compute and prints all pixels, so that images of
   Wine's backends can be compared. Exits with 0 if all are right, 1 if not, 77 without shader model 3. */
#define COBJMACROS
#include <windows.h>
#include <d3d9.h>
#include <stdio.h>
#include <string.h>

enum { EDGE = 16 };

static const char VERTEX[] = "vs_3_0\ndef c0, 0.5, 0.5, 0.5, 0.5\ndcl_position v0\ndcl_position o0\ndcl_texcoord0 o1\nmov o0, v0\nmad o1, v0, c0, c0\n";
/* Three iterations add 0.125 each to red; green is 1 in the right half, else 0.25; blue is the height. */
static const char PIXEL[] = "ps_3_0\ndef c0, 0.5, 0.25, 1, 0.125\ndef c1, 0, 0, 0, 1\ndefi i0, 3, 0, 0, 0\ndcl_texcoord0 v0\nmov r0, c1\nmov r1, c0\n"
                            "rep i0\nadd r0.x, r0.x, r1.w\nendrep\nif_gt v0.x, r1.x\nmov r0.y, r1.z\nelse\nmov r0.y, r1.y\nendif\nmov r0.z, v0.y\nmov oC0, r0\n";

/* ID3DXBuffer begins like this. */
typedef struct buffer {
    const struct {
        void *unknown[3];
        void *(WINAPI *pointer)(struct buffer *);
    } *methods;
} buffer;
typedef HRESULT(WINAPI *assembler)(const char *, UINT, const void *, void *, DWORD, buffer **, buffer **);

static const DWORD *assembled(const char *text) {
    union {
        FARPROC any;
        assembler call;
    } found = {GetProcAddress(LoadLibraryA("d3dx9_43.dll"), "D3DXAssembleShader")};
    buffer *code = 0;
    if (!found.any || FAILED(found.call(text, (UINT)strlen(text), 0, 0, 0, &code, 0))) return 0;
    return code->methods->pointer(code);
}

static int is_near(DWORD color, int shift, int wanted) {
    int difference = (int)(color >> shift & 0xFF) - wanted;
    return difference >= -1 && difference <= 1;
}

/* Judges and prints the pixels. */
static int is_image(const D3DLOCKED_RECT *rect) {
    int is_right = 1;
    for (int y = 0; y < EDGE; y++) {
        const DWORD *row = (const DWORD *)((const char *)rect->pBits + y * rect->Pitch);
        for (int x = 0; x < EDGE; x++) {
            printf("%06lx%c", row[x] & 0xFFFFFF, x == EDGE - 1 ? '\n' : ' ');
            /* 0.375, 0.25 or 1 */
            is_right &= is_near(row[x], 16, 96) & is_near(row[x], 8, x < EDGE / 2 ? 64 : 255);
        }
    }
    return is_right;
}

int main(void) {
    static const float corners[4][4] = {{-1, -1, 0, 1}, {-1, 1, 0, 1}, {1, -1, 0, 1}, {1, 1, 0, 1}};
    HWND window = CreateWindowA("static", "d3d9", WS_POPUP | WS_VISIBLE, 0, 0, EDGE, EDGE, 0, 0, 0, 0);
    IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);
    D3DPRESENT_PARAMETERS present = {.Windowed = TRUE, .SwapEffect = D3DSWAPEFFECT_DISCARD, .BackBufferWidth = EDGE, .BackBufferHeight = EDGE, .BackBufferFormat = D3DFMT_X8R8G8B8};
    IDirect3DDevice9 *device;
    if (!d3d || FAILED(IDirect3D9_CreateDevice(d3d, 0, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &present, &device))) {
        printf("no device\n");
        return 1;
    }
    D3DCAPS9 caps;
    IDirect3DDevice9_GetDeviceCaps(device, &caps);
    if (caps.PixelShaderVersion < D3DPS_VERSION(3, 0)) {
        printf("no shader model 3\n");
        return 77;
    }
    IDirect3DSurface9 *target, *copy;
    IDirect3DVertexShader9 *vertex;
    IDirect3DPixelShader9 *pixel;
    const DWORD *vertex_code = assembled(VERTEX), *pixel_code = assembled(PIXEL);
    int is_made = vertex_code && pixel_code && SUCCEEDED(IDirect3DDevice9_CreateVertexShader(device, vertex_code, &vertex))
                  && SUCCEEDED(IDirect3DDevice9_CreatePixelShader(device, pixel_code, &pixel))
                  && SUCCEEDED(IDirect3DDevice9_GetRenderTarget(device, 0, &target))
                  && SUCCEEDED(IDirect3DDevice9_CreateOffscreenPlainSurface(device, EDGE, EDGE, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &copy, 0));
    if (!is_made) {
        printf("no shaders\n");
        return 1;
    }
    static const D3DVERTEXELEMENT9 elements[] = {{0, 0, D3DDECLTYPE_FLOAT4, 0, D3DDECLUSAGE_POSITION, 0}, D3DDECL_END()};
    IDirect3DVertexDeclaration9 *declaration;
    IDirect3DDevice9_CreateVertexDeclaration(device, elements, &declaration);
    IDirect3DDevice9_SetVertexDeclaration(device, declaration);
    IDirect3DDevice9_SetVertexShader(device, vertex);
    IDirect3DDevice9_SetPixelShader(device, pixel);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZENABLE, FALSE);
    IDirect3DDevice9_BeginScene(device);
    IDirect3DDevice9_DrawPrimitiveUP(device, D3DPT_TRIANGLESTRIP, 2, corners, sizeof corners[0]);
    IDirect3DDevice9_EndScene(device);
    D3DLOCKED_RECT rect;
    if (FAILED(IDirect3DDevice9_GetRenderTargetData(device, target, copy)) || FAILED(IDirect3DSurface9_LockRect(copy, &rect, 0, D3DLOCK_READONLY))) return 1;
    int is_right = is_image(&rect);
    printf(is_right ? "pass\n" : "fail\n");
    return !is_right;
}
