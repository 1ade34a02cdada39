#include "command.hpp"
#include "contenders/contenders.hpp"

#include <iostream>

int main(int argument_count, char** arguments) {
  return bfc::bench::run_command(argument_count, arguments, bfc::bench::all_contenders(), std::cout,
                                 std::cerr);
}
