#include "rules.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

namespace architecture {
namespace {

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Calls `use(line_number, word)` for every identifier.
template <typename Use>
void for_each_identifier(std::string_view text, Use use) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_char(text[i])) {
      if (text[i] == '\n') ++line;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_char(text[end])) ++end;
    use(line, text.substr(i, end - i));
    i = end;
  }
}

std::string at(const source_file& file, std::size_t line, const std::string& text) {
  return file.path + ":" + std::to_string(line) + ": " + text;
}

bool is_public(std::string_view path) {
  return path.starts_with("include/bfc/");
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

/// The name between <> or "" of an #include line; empty for any other line.
std::string included_name(std::string_view line) {
  std::size_t i = line.find_first_not_of(" \t");
  if (i == std::string_view::npos || line[i] != '#') return {};
  i = line.find_first_not_of(" \t", i + 1);
  if (i == std::string_view::npos || !line.substr(i).starts_with("include")) return {};
  const std::size_t open = line.find_first_of("<\"", i);
  if (open == std::string_view::npos) return {};
  const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
  if (close == std::string_view::npos) return {};
  return std::string(line.substr(open + 1, close - open - 1));
}

/// The layer that an included name belongs to; empty for the standard library, third parties and
/// private headers of the including file's own folder.
std::string layer_of_include(const table& rules, const source_file& file, std::string name) {
  if (name.starts_with("bfc/")) return layer_of(rules, "include/" + name);
  if (name.starts_with("../")) {
    std::string folder = file.path.substr(0, file.path.rfind('/'));
    while (name.starts_with("../")) {
      const std::size_t slash = folder.rfind('/');
      folder = slash == std::string::npos ? "" : folder.substr(0, slash);
      name = name.substr(3);
    }
    return layer_of(rules, folder.empty() ? name : folder + "/" + name);
  }
  for (const char* const root : {"src/", ""}) {  // include paths of the build beside include/
    const std::string found = layer_of(rules, root + name);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

table parse_table(std::string_view text) {
  table rules;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0].starts_with("#")) continue;
    const auto fail = [&] {
      throw std::runtime_error("table.txt:" + std::to_string(number) + ": cannot read: " + line);
    };
    if (words[0] == "layer") {
      const auto on = std::find(words.begin(), words.end(), "on");
      if (words.size() < 5 || words[2] != "in" || on == words.end() || on - words.begin() < 4) {
        fail();
      }
      layer& added = rules.layers[words[1]];
      if (!added.folders.empty()) fail();
      added.folders.assign(words.begin() + 3, on);
      added.stands_on.insert(on + 1, words.end());
    } else if (words[0] == "forbid" && words.size() > 2) {
      auto& list = rules.forbidden_headers[words[1]];
      list.insert(list.end(), words.begin() + 2, words.end());
    } else if (words[0] == "top" && words.size() > 1) {
      rules.top_level.insert(words.begin() + 1, words.end());
    } else if (words[0] == "docs" && words.size() > 1) {
      rules.documents.insert(rules.documents.end(), words.begin() + 1, words.end());
    } else {
      fail();
    }
  }
  for (const auto& [name, described] : rules.layers) {
    for (const std::string& below : described.stands_on) {
      if (below != "*" && !rules.layers.contains(below)) {
        throw std::runtime_error("table.txt: layer " + name + " stands on unknown layer " + below);
      }
    }
  }
  return rules;
}

std::string layer_of(const table& rules, std::string_view path) {
  for (const auto& [name, described] : rules.layers) {
    for (const std::string& folder : described.folders) {
      if (is_below(path, folder)) return name;
    }
  }
  return {};
}

std::string without_comments(std::string_view text) {
  std::string out(text);
  enum class inside { code, line_comment, block_comment, string, character } where = inside::code;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    const char next = i + 1 < out.size() ? out[i + 1] : '\0';
    switch (where) {
      case inside::code:
        if (c == '/' && (next == '/' || next == '*')) {
          where = next == '/' ? inside::line_comment : inside::block_comment;
          out[i] = out[i + 1] = ' ';
          ++i;
        } else if (c == '"') {
          where = inside::string;
        } else if (c == '\'' && (i == 0 || !is_word_char(out[i - 1]))) {  // 1'000 is a number
          where = inside::character;
        }
        break;
      case inside::line_comment:
        if (c == '\n') {
          where = inside::code;
        } else {
          out[i] = ' ';
        }
        break;
      case inside::block_comment:
        if (c == '*' && next == '/') {
          where = inside::code;
          out[i] = out[i + 1] = ' ';
          ++i;
        } else if (c != '\n') {
          out[i] = ' ';
        }
        break;
      case inside::string:
      case inside::character:
        if (c == '\\') {
          ++i;
        } else if (c == (where == inside::string ? '"' : '\'') || c == '\n') {
          where = inside::code;
        }
        break;
    }
  }
  return out;
}

findings check_includes(const table& rules, const source_file& file) {
  const std::string from = layer_of(rules, file.path);
  if (from.empty()) return {file.path + ": lies in no layer's folder"};
  findings found;
  const layer& own = rules.layers.at(from);
  std::vector<std::string> forbidden;
  for (const std::string& where : {from, std::string(is_public(file.path) ? "public" : "")}) {
    const auto list = rules.forbidden_headers.find(where);
    if (list == rules.forbidden_headers.end()) continue;
    forbidden.insert(forbidden.end(), list->second.begin(), list->second.end());
  }
  std::size_t number = 0;
  for (const std::string& line : lines_of(without_comments(file.text))) {
    ++number;
    const std::string name = included_name(line);
    if (name.empty()) continue;
    const std::string to = layer_of_include(rules, file, name);
    if (!to.empty() && to != from && !own.stands_on.contains(to) && !own.stands_on.contains("*")) {
      found.push_back(
          at(file, number, "layer " + from + " may not include " + name + " of layer " + to));
    }
    if (to.empty() && name.starts_with("bfc/")) {
      found.push_back(at(file, number, name + " belongs to no layer"));
    }
    for (const std::string& header : forbidden) {
      if (name == header || (header.back() == '/' && name.starts_with(header))) {
        found.push_back(at(file, number, "<" + name + "> may not be included here"));
      }
    }
  }
  return found;
}

findings check_cuda_names(const table& rules, const source_file& file) {
  if (layer_of(rules, file.path) == "cuda") return {};
  findings found;
  for_each_identifier(without_comments(file.text), [&](std::size_t line, std::string_view word) {
    const bool runtime = word.size() > 4 && word.starts_with("cuda") && is_upper(word[4]);
    const bool driver = word.size() > 2 && word.starts_with("cu") && is_upper(word[2]);
    if (runtime || driver || word.starts_with("cuda_runtime")) {
      found.push_back(
          at(file, line,
             "CUDA's name '" + std::string(word) + "' outside include/bfc/cuda and cuda/"));
    }
  });
  return found;
}

findings check_header_opening(const table& rules, const source_file& file) {
  findings found;
  const std::vector<std::string> lines = lines_of(file.text);
  std::size_t length = 0;
  while (length < lines.size() && lines[length].starts_with("///")) ++length;
  if (length == 0) return {at(file, 1, "a public header opens with ///, saying what it is")};
  std::string opening;  // as one line: the sentence may have been wrapped
  for (std::size_t i = 0; i < length; ++i) opening += lines[i].substr(3);
  const std::string wanted = "Layer: " + layer_of(rules, file.path);
  const std::size_t where = opening.find(wanted);
  const std::size_t end = where + wanted.size();
  if (where == std::string::npos || (end < opening.size() && is_word_char(opening[end]))) {
    found.push_back(at(file, 1, "the opening comment does not say '" + wanted + "'"));
  }
  if (length == lines.size() || lines[length] != "#pragma once") {
    found.push_back(at(file, length + 1, "#pragma once must follow the opening comment"));
  }
  return found;
}

findings check_is_listed(const std::string& path, std::string_view cmake_text) {
  const std::string name = path.substr(path.rfind('/') + 1);
  for (std::size_t i = cmake_text.find(name); i != std::string_view::npos;
       i = cmake_text.find(name, i + 1)) {
    const std::size_t end = i + name.size();
    const bool starts = i == 0 || !is_word_char(cmake_text[i - 1]);
    const bool ends = end == cmake_text.size() || !is_word_char(cmake_text[end]);
    if (starts && ends) return {};
  }
  return {path + ": not listed in its CMakeLists.txt, so it is not built"};
}

findings check_top_level(const table& rules, const std::set<std::string>& entries) {
  findings found;
  for (const std::string& entry : entries) {
    if (!rules.top_level.contains(entry)) {
      found.push_back(entry + ": does not belong at the top level (see table.txt)");
    }
  }
  return found;
}

findings check_machine_paths(const source_file& file) {
  findings found;
  std::size_t number = 0;
  for (const std::string& line : lines_of(file.text)) {
    ++number;
    for (const std::string_view root : {"/home/", "/root/", "/work/", "/Users/", "/tmp/"}) {
      const std::size_t where = line.find(root);
      if (where == std::string::npos) continue;
      if (where > 0 && (is_word_char(line[where - 1]) || line[where - 1] == '.')) continue;
      found.push_back(at(file, number, "a path of some machine: " + line.substr(where)));
    }
  }
  return found;
}

}  // namespace architecture
