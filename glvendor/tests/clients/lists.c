#include "client.h"
int main(void) { start(); use_context(open_context(0)); glGetError(); glViewport(0,0,1,1); return finish(); }
