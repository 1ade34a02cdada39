// The entry point of every test program, for Catch2 packages that do not bring it compiled.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
