// The bfc command: flags in, one of the commands, an exit code out.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include <bfc/base/error.hpp>
#include <bfc/base/version.hpp>

#include <csignal>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace bfc::cli {
namespace {

constexpr const char* main_footer =
    "Traces are text, plain or gzip: seconds.micros TAB thread TAB size (-1: free) TAB pointer.\n"
    "TRACE is a file, or - for standard input. Sizes are written 512, 4K, 1.5GiB.\n"
    "Results go to stdout, all else to stderr.\n"
    "Exit codes: 0 done; 1 an allocation found no place, a block was damaged, or the result could\n"
    "not be written; 2 a wrong flag, size or file; 3 a trace is truncated (see --tolerant).\n"
    "Say bfc COMMAND --help for flags and examples.";

constexpr const char* replay_footer =
    "--align rounds sizes up to it. Above 2M it does not: sizes are rounded up to 256 then, and\n"
    "every block begins at a multiple of it.\n"
    "peak_live_bytes and footprint_bytes are in sizes so rounded. Times are those of passes that\n"
    "touch no memory. oom_count, coalesce_count and footprint are those of one pass.\n"
    "A block whose allocation found no place is left out, with its free. --json prints an array\n"
    "with one object a trace.\n"
    "Examples:\n"
    "  bfc replay run.tsv.gz\n"
    "  bfc replay --device sim --capacity 80GiB --json run.tsv.gz\n"
    "  bfc replay --device cuda --touch run.tsv.gz\n"
    "  zcat run.tsv.gz | bfc replay --coalesce immediate -";

constexpr const char* fit_footer =
    "--align rounds sizes up to it. Above 2M it does not: sizes are rounded up to 256 then, and\n"
    "every block begins at a multiple of it.\n"
    "Tries 1.000, 1.001, ... 1.500 times the peak of live bytes, in sizes so rounded.\n"
    "fit_ratio is null (in the table: > 1.5) when even 1.5 times the peak fails. --json prints an\n"
    "array with one object a trace.\n"
    "Examples:\n"
    "  bfc fit run.tsv.gz\n"
    "  bfc fit --policy immediate,threshold --json a.tsv.gz b.tsv.gz";

constexpr const char* info_footer =
    "Sizes are those asked for. Events are numbered from 0, without skipped ones. --json prints "
    "an\n"
    "array with one object a trace.\n"
    "Examples:\n"
    "  bfc info run.tsv.gz\n"
    "  bfc info --json run.tsv.gz";

constexpr const char* align_text = "Power of two, 16 to 64M: blocks begin at multiples of it";
constexpr const char* tolerant_text = "A truncated trace is only warned of, not exit code 3";

struct command_line {
  CLI::App app{"bfc: a best-fit-with-coalescing allocator, tried on recorded traces."};
  CLI::App* replay = nullptr;
  CLI::App* fit = nullptr;
  CLI::App* info = nullptr;
  CLI::App* help = nullptr;
  replay_flags for_replay;
  fit_flags for_fit;
  info_flags for_info;
  std::string topic;

  command_line() {
    app.name("bfc");
    app.footer(main_footer);
    // At most one command: what follows it is its own, even a file called "fit".
    app.require_subcommand(0, 1);
    app.option_defaults()->always_capture_default();
    const std::string version_text =
        fmt::format("bfc {}.{}.{}", version.major, version.minor, version.patch);
    app.set_version_flag("--version", version_text);
    add_replay();
    add_fit();
    add_info();
    for (CLI::App* command : {replay, fit, info}) {
      command->set_version_flag("--version", version_text);
    }
    help = app.add_subcommand("help", "Say how a command is used");
    help->add_option("COMMAND", topic, "replay, fit or info");
  }

  void add_replay() {
    replay = app.add_subcommand("replay", "Play traces on an allocator: is there room, how fast");
    replay->add_option("TRACE", for_replay.paths, "Traces")->required()->default_str("");
    replay->add_option("--device", for_replay.device, "auto, host, sim or cuda")
        ->check(CLI::IsMember({"auto", "host", "sim", "cuda"}));
    replay->add_option("--capacity", for_replay.capacity,
                       "Bytes to reserve; auto: what is free, less a margin");
    replay->add_option("--coalesce", for_replay.coalesce,
                       "immediate, threshold, ratio or on-failure");
    replay->add_option("--align", for_replay.align, align_text);
    replay
        ->add_flag("--touch", for_replay.touch,
                   "Fill every block with its own pattern and check it before its free")
        ->disable_flag_override();
    replay->add_option("--repeat", for_replay.repeat, "Passes of each of the two timings")
        ->check(CLI::Range(1, 1'000'000));
    replay->add_flag("--json", for_replay.json, "Print JSON")->disable_flag_override();
    replay->add_flag("--tolerant", for_replay.tolerant, tolerant_text)->disable_flag_override();
    replay->footer(replay_footer);
  }

  void add_fit() {
    fit = app.add_subcommand("fit", "Find how little memory traces can do with");
    fit->add_option("TRACE", for_fit.paths, "Traces")->required()->default_str("");
    fit->add_option("--policy", for_fit.policy,
                    "all, or some of immediate, threshold, ratio, on-failure, with commas");
    fit->add_option("--align", for_fit.align, align_text);
    fit->add_flag("--json", for_fit.json, "Print JSON")->disable_flag_override();
    fit->add_flag("--tolerant", for_fit.tolerant, tolerant_text)->disable_flag_override();
    fit->footer(fit_footer);
  }

  void add_info() {
    info = app.add_subcommand("info", "Describe traces: sizes, peaks, lifetimes, leaks");
    info->add_option("TRACE", for_info.paths, "Traces")->required()->default_str("");
    info->add_flag("--json", for_info.json, "Print JSON")->disable_flag_override();
    info->add_flag("--tolerant", for_info.tolerant, tolerant_text)->disable_flag_override();
    info->footer(info_footer);
  }

  exit_code print_topic() {
    for (const CLI::App* command : {replay, fit, info, help}) {
      if (command->get_name() == topic) {
        write_result(command->help("bfc"));
        return exit_code::done;
      }
    }
    if (!topic.empty()) {
      throw error(status::invalid_option,
                  "help: '" + topic + "' is no command; there are replay, fit and info");
    }
    // Of a line that parsed nothing: otherwise the help is that of the command "help".
    write_result(command_line().app.help());
    return exit_code::done;
  }

  exit_code run() {
    if (replay->parsed()) return run_replay(for_replay);
    if (fit->parsed()) return run_fit(for_fit);
    if (info->parsed()) return run_info(for_info);
    if (help->parsed()) return print_topic();
    throw error(status::invalid_option, "no command given; say bfc replay, fit, info or help");
  }

  // The command whose flags are wrong, for the hint at the end of a complaint.
  std::string command_words() const {
    for (const CLI::App* command : {replay, fit, info}) {
      if (command->parsed()) return "bfc " + command->get_name();
    }
    return "bfc";
  }
};

// The parser's own words, but for a flag with a value, where they are hard to understand.
std::string told(const CLI::Error& mistake) {
  const std::string text = mistake.what();
  const std::size_t at = text.find(" was given a disallowed flag override");
  return at == std::string::npos ? text : "--" + text.substr(0, at) + " takes no value";
}

exit_code parse_and_run(int count, char** words) {
  command_line line;
  try {
    line.app.parse(count, words);
  } catch (const CLI::CallForVersion& version_text) {
    write_result(std::string(version_text.what()) + "\n");
    return exit_code::done;
  } catch (const CLI::CallForHelp&) {
    write_result(line.app.help());
    return exit_code::done;
  } catch (const CLI::ParseError& mistake) {
    throw error(status::invalid_option,
                fmt::format("{}; see {} --help", told(mistake), line.command_words()));
  }
  return line.run();
}

// What the user gave is to blame, unless the failure is the machine's.
exit_code code_of(const error& failure) {
  switch (failure.code()) {
    case status::host_memory:
    case status::driver_error:
      return exit_code::bad_result;
    default:
      return exit_code::usage;
  }
}

}  // namespace
}  // namespace bfc::cli

int main(int count, char** words) {
  using namespace bfc::cli;
  // A reader that went away is reported as a failed write, not by a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  exit_code code = exit_code::bad_result;
  try {
    code = parse_and_run(count, words);
  } catch (const unwritable& failure) {
    complain(failure.what());
  } catch (const bfc::error& failure) {
    complain(failure.what());
    code = code_of(failure);
  } catch (const std::bad_alloc&) {
    complain("out of host memory");
  } catch (const std::exception& failure) {
    complain(failure.what());
  }
  return static_cast<int>(code);
}
