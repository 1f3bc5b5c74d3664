/* Python for Windows without its program: starts the interpreter in the library of the directory PYTHON_LIBRARIES. */
#include <windows.h>

#include <stdio.h>

int wmain(int count, wchar_t **arguments)
{
    SetDllDirectoryW(_wgetenv(L"PYTHON_LIBRARIES"));
    HMODULE python = LoadLibraryW(L"python311.dll");
    int (*run)(int, wchar_t **) = 0;
    if (python)
        *(FARPROC *)&run = GetProcAddress(python, "Py_Main");
    if (!run) {
        fprintf(stderr, "python311.dll is not loaded: error %lu\n", GetLastError());
        return 1;
    }
    return run(count, arguments);
}
