#include "command.hpp"
#include "contenders/contenders.hpp"

#include <csignal>
#include <iostream>

int main(int argument_count, char** arguments) {
  // A reader that went away is reported as a failed write, not by a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  return bfc::bench::run_command(argument_count, arguments, bfc::bench::all_contenders(), std::cout,
                                 std::cerr);
}
