# find_package(glasm) gives the target glasm::glasm: the shared library, or the static one if only that is there, or if GLASM_STATIC is set.
# It lies in share/cmake/glasm of the folder that cargo-c has installed to.

get_filename_component(_glasm_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

find_path(GLASM_INCLUDE_DIR glasm.h HINTS "${_glasm_prefix}/include" NO_DEFAULT_PATH)

# Debian has its libraries in a folder for each kind of machine.
set(_glasm_folders "${_glasm_prefix}/lib" "${_glasm_prefix}/lib64" "${_glasm_prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
set(_glasm_static "${CMAKE_STATIC_LIBRARY_PREFIX}glasm${CMAKE_STATIC_LIBRARY_SUFFIX}")
if(GLASM_STATIC)
    set(_glasm_names "${_glasm_static}")
else()
    set(_glasm_names glasm "${_glasm_static}")
endif()
find_library(GLASM_LIBRARY NAMES ${_glasm_names} HINTS ${_glasm_folders} NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(glasm REQUIRED_VARS GLASM_LIBRARY GLASM_INCLUDE_DIR)

if(glasm_FOUND AND NOT TARGET glasm::glasm)
    add_library(glasm::glasm UNKNOWN IMPORTED)
    set_target_properties(glasm::glasm PROPERTIES
        IMPORTED_LOCATION "${GLASM_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${GLASM_INCLUDE_DIR}")
    if(GLASM_LIBRARY MATCHES "${CMAKE_STATIC_LIBRARY_SUFFIX}$")
        # What Rust's standard library needs.
        find_package(Threads REQUIRED)
        set(_glasm_needs Threads::Threads ${CMAKE_DL_LIBS})
        if(WIN32)
            list(APPEND _glasm_needs kernel32 ntdll userenv ws2_32 dbghelp)
        elseif(UNIX AND NOT APPLE)
            list(APPEND _glasm_needs m gcc_s)
        endif()
        set_target_properties(glasm::glasm PROPERTIES INTERFACE_LINK_LIBRARIES "${_glasm_needs}")
    endif()
endif()

mark_as_advanced(GLASM_INCLUDE_DIR GLASM_LIBRARY)
