// Reads an event stream on many connections, with one thread and epoll. It follows the ids of each
// connection, so that it notices when an event is missing, repeated or out of order. It measures the
// delay of events that carry the time of their creation.
//
//   load <port> <path> <connections> <last id> <step> [stall] [blind] [gzip]
//
// prints "ready" when every connection has the first bytes of its stream, "at <id>" whenever all of
// them are a step further, and at the end "done <figures as JSON>". With `stall` it reads nothing
// between "ready" and a line on stdin. With `blind` it only counts bytes, and ends when every connection
// is closed. With `gzip` it requests compression.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINE 120

typedef struct {
  int fd;
  int in_body;     // 0..4: how much of the empty line after the head was read
  int length;      // of the stored part of the current line
  char line[LINE]; // the start of the current line
  long id;
} Reader;

static Reader *readers;
static int count, open_count, begun;
static long last, step, mark, at_mark, wrong, events, bytes;
static int is_gzip, is_blind;
static double *delays;
static long delay_count, delay_room;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void add_delay(const char *line, double now) {
  const char *made = strstr(line, ":\"t");
  if (!made || made[3] < '0' || made[3] > '9') return;
  if (delay_count == delay_room) {
    delay_room = delay_room ? delay_room * 2 : 65536;
    delays = realloc(delays, delay_room * sizeof *delays);
    if (!delays) fail("realloc");
  }
  delays[delay_count++] = now - strtod(made + 3, NULL);
}

static void print_progress(void) {
  while (at_mark == count && mark <= last) {
    printf("at %ld\n", mark);
    fflush(stdout);
    mark = mark < last && mark + step > last ? last : mark + step;
    at_mark = 0;
    for (int i = 0; i < count; i++) at_mark += readers[i].id >= mark;
  }
}

static void read_line(Reader *reader, double now) {
  reader->line[reader->length] = 0;
  if (reader->length > 3 && memcmp(reader->line, "id:", 3) == 0) {
    long id = strtol(reader->line + 3, NULL, 10);
    if (reader->id < 0 ? id > 1 : id != reader->id + 1) wrong++;
    if (reader->id < mark && id >= mark) at_mark++;
    reader->id = id;
    events++;
  } else if (reader->length > 6 && memcmp(reader->line, "data:", 5) == 0) {
    add_delay(reader->line, now);
  }
  reader->length = 0;
}

static void read_body(Reader *reader, const char *chunk, long length, double now) {
  const char *end = chunk + length;
  while (chunk < end) {
    const char *feed = memchr(chunk, '\n', end - chunk);
    long part = (feed ? feed : end) - chunk;
    long room = LINE - 1 - reader->length;
    long stored = part < room ? part : room;
    memcpy(reader->line + reader->length, chunk, stored);
    reader->length += stored;
    if (!feed) return;
    read_line(reader, now);
    chunk = feed + 1;
  }
}

static void read_chunk(Reader *reader, const char *chunk, long length, double now) {
  static const char empty_line[] = "\r\n\r\n";
  bytes += length;
  while (reader->in_body < 4 && length > 0) {
    if (*chunk == empty_line[reader->in_body]) reader->in_body++;
    else reader->in_body = *chunk == '\r';
    chunk++;
    length--;
    if (reader->in_body == 4) begun++;
  }
  if (length > 0 && !is_blind) read_body(reader, chunk, length, now);
}

static int connect_one(int port, const char *path) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
  char request[512];
  int size = snprintf(request, sizeof request,
                      "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n%s\r\n",
                      path, port, is_gzip ? "Accept-Encoding: gzip\r\n" : "");
  if (write(fd, request, size) != size) fail("write");
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static int by_size(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static double delay_at(double part) {
  return delay_count ? delays[(long)((delay_count - 1) * part)] / 1e6 : 0;
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  int port = atoi(argv[1]), is_stalled = 0;
  count = atoi(argv[3]);
  last = atol(argv[4]);
  step = mark = atol(argv[5]);
  for (int i = 6; i < argc; i++) {
    is_gzip |= strcmp(argv[i], "gzip") == 0;
    is_blind |= strcmp(argv[i], "blind") == 0;
    is_stalled |= strcmp(argv[i], "stall") == 0;
  }
  readers = calloc(count, sizeof *readers);
  int poll = epoll_create1(0), is_ready = 0;
  for (int i = 0; i < count; i++) {
    readers[i].fd = connect_one(port, argv[2]);
    readers[i].id = -1;
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = i};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, readers[i].fd, &wanted) < 0) fail("epoll_ctl");
  }
  open_count = count;
  static char chunk[1 << 18];
  struct epoll_event found[256];
  double began = now_ns();
  while (open_count > 0 && (is_blind || mark <= last)) {
    int some = epoll_wait(poll, found, 256, 60000);
    if (some <= 0) fail(some ? "epoll_wait" : "no data for a minute");
    for (int i = 0; i < some; i++) {
      Reader *reader = &readers[found[i].data.u32];
      long length = recv(reader->fd, chunk, sizeof chunk, 0);
      if (length < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (length <= 0) {
        close(reader->fd);
        open_count--;
        continue;
      }
      read_chunk(reader, chunk, length, now_ns());
    }
    if (!is_ready && begun == count) {
      is_ready = 1;
      began = now_ns();
      bytes = events = delay_count = 0;
      printf("ready\n");
      fflush(stdout);
      char go[16];
      if (is_stalled && read(0, go, sizeof go) <= 0) fail("stdin");
    }
    if (is_ready && !is_blind) print_progress();
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  qsort(delays, delay_count, sizeof *delays, by_size);
  long behind = 0;
  for (int i = 0; i < count; i++) behind += is_blind ? 0 : readers[i].id < last;
  printf("done {\"events\":%ld,\"bytes\":%ld,\"wrong\":%ld,\"behind\":%ld,\"wallMs\":%.3f,"
         "\"p50\":%.4f,\"p99\":%.4f,\"max\":%.4f}\n",
         events, bytes, wrong, behind, (now_ns() - began) / 1e6, delay_at(0.5), delay_at(0.99),
         delay_at(1));
  return 0;
}
