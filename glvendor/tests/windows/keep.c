/* Keeps Wine's server and its desktop running until standard input ends: otherwise each program would start both. Prints a line when both run. */
#include <windows.h>

#include <stdio.h>

int main(void)
{
    /* The desktop starts with the first window. */
    if (!CreateWindowA("static", "keep", WS_POPUP, 0, 0, 1, 1, 0, 0, 0, 0))
        return 1;
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
}
