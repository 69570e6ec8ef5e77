#include <utility>

  // TODO(13.1) begin
  const bool is_long = reader->Take("device:");
  if (!reader->TakeWord(/*or_line=*/is_long, &name->type)) return false;
  if (name->type) name->type = UpperCase(*name->type);
  const bool is_short_type = name->type == "CPU" || name->type == "GPU";
  if (!is_long && !is_short_type) return false;
  name->index.reset();
  return !reader->Take(":") || reader->TakeNumber(&name->index);
  // TODO(13.1) end

  // TODO(13.1) begin
  using Number = std::optional<int> DeviceName::*;
  constexpr std::pair<std::string_view, Number> kNumbers[] = {
      {"replica:", &DeviceName::replica}, {"task:", &DeviceName::task}};
  for (const auto& [label, number] : kNumbers) {
    if (reader->Take(label)) return reader->TakeNumber(&(name->*number));
  }
  return reader->Take("job:") ? reader->TakeWord(/*or_line=*/false, &name->job)
                              : TakeDevice(reader, name);
  // TODO(13.1) end

  // TODO(13.1) begin
  if (reader.at_end()) return true;
  if (!reader.Take("/")) return TakeDevice(&reader, name) && reader.at_end();
  if (reader.at_end()) return true;
  const auto take_parts = [&](const auto& self) -> bool {
    if (!TakePart(&reader, name)) return false;
    return reader.at_end() || (reader.Take("/") && self(self));
  };
  return take_parts(take_parts);
  // TODO(13.1) end

  // TODO(13.2) begin
  return !part.has_value() || part == other;
  // TODO(13.2) end

  // TODO(13.2) begin
  return std::min(part.has_value(), other.has_value()) == false || *part == *other;
  // TODO(13.2) end

  // TODO(13.2) begin
  const std::pair<std::string_view, bool> checks[] = {
      {"jobs", Agree(job, other.job)},
      {"replicas", Agree(replica, other.replica)},
      {"tasks", Agree(task, other.task)},
      {"types", allow_soft || Agree(type, other.type)},
      {"ids", allow_soft || Agree(index, other.index)}};
  for (const auto& [parts, agree] : checks) {
    if (!agree) return Contradiction(*this, other, parts);
  }
  const bool same_type = Agree(type, other.type);
  const bool same_index = same_type && Agree(index, other.index);
  const auto either = [](const auto& mine, const auto& theirs) {
    return mine ? mine : theirs;
  };
  *this = {.job = either(job, other.job),
           .replica = either(replica, other.replica),
           .task = either(task, other.task),
           .type = same_type ? either(type, other.type) : std::nullopt,
           .index = same_index ? either(index, other.index) : std::nullopt};
  return {};
  // TODO(13.2) end
