  // TODO(13.1) begin
  std::optional<std::string> type;
  if (reader->Take("device:")) {
    if (!reader->TakeWord(/*or_line=*/true, &type)) return false;
  } else if (reader->Take("cpu")) {
    type = "CPU";
  } else if (reader->Take("gpu")) {
    type = "GPU";
  } else {
    return false;
  }
  if (type) type = UpperCase(*type);
  // The last device of a text counts, so nothing of an earlier one may be left.
  name->type = type;
  name->index.reset();
  return !reader->Take(":") || reader->TakeNumber(&name->index);
  // TODO(13.1) end

  // TODO(13.1) begin
  if (reader->Take("job:")) return reader->TakeWord(/*or_line=*/false, &name->job);
  if (reader->Take("replica:")) return reader->TakeNumber(&name->replica);
  if (reader->Take("task:")) return reader->TakeNumber(&name->task);
  return TakeDevice(reader, name);
  // TODO(13.1) end

  // TODO(13.1) begin
  if (text.empty() || text == "/") return true;
  if (!reader.Take("/")) return TakeDevice(&reader, name) && reader.at_end();
  do {
    if (!TakePart(&reader, name)) return false;
  } while (reader.Take("/"));
  return reader.at_end();
  // TODO(13.1) end

  // TODO(13.2) begin
  return !part || part == other;
  // TODO(13.2) end

  // TODO(13.2) begin
  return !part || !other || *part == *other;
  // TODO(13.2) end

  // TODO(13.2) begin
  if (!Agree(job, other.job)) return Contradiction(*this, other, "jobs");
  if (!Agree(replica, other.replica)) return Contradiction(*this, other, "replicas");
  if (!Agree(task, other.task)) return Contradiction(*this, other, "tasks");
  const bool types_agree = Agree(type, other.type);
  const bool is_same_device = types_agree && Agree(index, other.index);
  if (!is_same_device && !allow_soft) {
    return Contradiction(*this, other, types_agree ? "ids" : "types");
  }
  if (!job) job = other.job;
  if (!replica) replica = other.replica;
  if (!task) task = other.task;
  if (!types_agree) {
    type.reset();
    index.reset();
    return {};
  }
  if (!type) type = other.type;
  if (!is_same_device) {
    index.reset();
  } else if (!index) {
    index = other.index;
  }
  return {};
  // TODO(13.2) end
