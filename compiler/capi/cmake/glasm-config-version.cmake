# The version of the library; the test `install` compares it with that of the crate. While it begins with 0, every minor version has an
# interface of its own.

set(PACKAGE_VERSION "0.1.0")

if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(PACKAGE_FIND_VERSION_MAJOR EQUAL 0
    AND PACKAGE_FIND_VERSION_MINOR EQUAL 1
    AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
elseif(NOT PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
