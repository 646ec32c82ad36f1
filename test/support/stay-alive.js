// Loaded into a program with `--import`: a timer that nobody stops.
setInterval(() => {}, 60_000)
