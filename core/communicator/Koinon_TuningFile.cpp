// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_TuningFile.hpp>

#include <Koinon_Error.hpp>
#include <Koinon_TuningFields.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <fstream>

namespace Koinon::Impl {

std::string read_file(std::string const& file) {
  std::ifstream stream(file);
  std::string text;
  char block[4096];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  // A directory opens and fails when it is read.
  if (!stream.is_open() || stream.bad()) {
    throw InvalidArgument("Koinon: KOINON_TUNING: the file `" + file + "` cannot be read");
  }
  return text;
}

std::vector<TuningEntry> read_tuning_text(std::string const& file, std::string const& text) {
  auto const refuse = [&](std::string const& reason) {
    throw InvalidArgument("Koinon: KOINON_TUNING: the file `" + file + "` " + reason);
  };
  nlohmann::json list;
  try {
    list = nlohmann::json::parse(text);
  } catch (nlohmann::json::exception const& e) {
    refuse(std::string("does not parse: ") + e.what());
  }
  if (!list.is_array()) refuse("is not a list of entries");
  std::vector<TuningEntry> entries;
  for (auto const& object : list) {
    std::string const which = "entry " + std::to_string(entries.size());
    if (!object.is_object()) refuse(which + " is not an object");
    TuningEntry entry;
    for (auto const& [name, value] : object.items()) {
      std::string const text_value = value.is_string() ? value.get<std::string>() : value.dump();
      switch (set_field(entry, name, text_value)) {
        case FieldAnswer::done:
          break;
        case FieldAnswer::no_such_field:
          refuse(which + ": there is no field `" + name + "`");
          break;
        case FieldAnswer::no_such_value:
          refuse(which + ": `" + text_value + "` is no value of `" + name + "`");
          break;
      }
    }
    for (Category const hazard : {Category::entry_barrier, Category::dependent_launch, Category::early_trigger}) {
      if (!states(entry.tuning, hazard)) continue;
      refuse(which + ": `" + std::string(to_string(hazard)) + "` is for the caller to vouch for, in a policy");
    }
    if (char const* const fault = fault_of(entry.tuning)) refuse(which + ": " + fault);
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace Koinon::Impl
