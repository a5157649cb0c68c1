import CCommand
import Foundation

/// The command that `signalbox run` stands in for, running in our process group with our standard input.
///
/// Its output reaches ours through an `OutputRelay` each, or one for both when both of ours go to one place.
/// When it ends, what it has written has been passed on; its own children may go on writing, through the
/// relays, as they could without us. When this process is killed, the child and its output are not.
///
/// Signals sent to this process are handed on from `launch` on; one child in the life of the process.
struct ChildProcess: Sendable {
  /// The process id of the child.
  let pid: pid_t

  private let forms: ProgressParser.Forms
  private let relays: [OutputRelay]
  private let life: Int32

  /// Starts `command`, a program's name or path and its arguments, which need not be text.
  ///
  /// Afterwards our standard input and output are no longer those that the child has: what ends for the child
  /// has then ended altogether.
  static func launch(
    _ command: [UnsafeMutablePointer<CChar>], parser: ParserChoice
  ) throws(LaunchError) -> ChildProcess {
    let (lifeEnd, life) = try makePipe()
    defer { close(lifeEnd) }
    var forms = ProgressParser.Forms.auto
    var relays: [OutputRelay] = []
    var outputs: [Int32] = [-1, -1]
    if case .forms(let chosen) = parser {
      forms = chosen
      let isShared = signalbox_same_output(STDOUT_FILENO, STDERR_FILENO)
      for stream in [STDOUT_FILENO, STDERR_FILENO] where signalbox_is_open(stream) {
        if stream == STDOUT_FILENO || !isShared {
          relays.append(try OutputRelay(to: stream, life: lifeEnd))
        }
        outputs[Int(stream) - 1] = relays.last?.childEnd ?? -1
      }
    }
    let pid: pid_t
    do {
      defer { for relay in relays { close(relay.childEnd) } }
      pid = try spawn(command, outputs)
    } catch {
      for relay in relays { relay.reap() }
      throw error
    }
    letGo(of: STDIN_FILENO)
    letGo(of: STDOUT_FILENO)
    return ChildProcess(pid: pid, forms: forms, relays: relays, life: life)
  }

  /// Waits for the child to end and for what it wrote to be passed on.
  ///
  /// - Parameter report: called with each progress the output shows, on a thread of its own.
  /// - Returns: the child's exit code, or 128 + n when signal n ended it.
  func end(reporting report: @escaping @Sendable (ParsedProgress) -> Void) async -> Int32 {
    async let isRead: Void = onThread { readCopies(report) }
    let code = await onThread { signalbox_wait(pid) }
    close(life)
    await isRead
    return code
  }

  private func readCopies(_ report: (ParsedProgress) -> Void) {
    var parsers = relays.map { _ in ProgressParser(forms) }
    var streams = relays.map { pollfd(fd: $0.copy, events: Int16(POLLIN), revents: 0) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
    defer { buffer.deallocate() }
    // poll(2) overlooks a negative descriptor.
    while streams.contains(where: { $0.fd >= 0 }) {
      guard poll(&streams, nfds_t(streams.count), -1) > 0 else { continue }
      for index in streams.indices where streams[index].revents != 0 {
        let count = read(streams[index].fd, buffer.baseAddress, buffer.count)
        if count > 0 {
          parsers[index].consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]), report)
        } else if count == 0 || errno != EINTR {
          parsers[index].finish(report)
          close(streams[index].fd)
          streams[index].fd = -1
          relays[index].reap()
        }
      }
    }
  }

  private static func spawn(
    _ command: [UnsafeMutablePointer<CChar>], _ outputs: [Int32]
  ) throws(LaunchError) -> pid_t {
    let pid = signalbox_spawn(command + [nil], outputs[0], outputs[1])
    if pid > 0 { return pid }
    let name = String(cString: command[0])
    switch errno {
    case ENOEXEC:
      // A script without `#!`: shells run it themselves.
      let shell = strdup("/bin/sh")
      defer { free(shell) }
      let pid = signalbox_spawn([shell] + command + [nil], outputs[0], outputs[1])
      if pid > 0 { return pid }
      fallthrough
    case EACCES, EISDIR, ELOOP, ETXTBSY, E2BIG, ENAMETOOLONG:
      throw .notRunnable(name, reason: String(cString: strerror(errno)))
    case ENOENT, ENOTDIR:
      throw .notFound(name)
    default:
      throw .system("a process")
    }
  }

  /// Puts /dev/null in the place of one of our standard streams.
  private static func letGo(of stream: Int32) {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0, null != stream else { return }
    dup2(null, stream)
    close(null)
  }
}

/// Runs `body`, which may block, on a thread of its own.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { done in
    Thread.detachNewThread { done.resume(returning: body()) }
  }
}
