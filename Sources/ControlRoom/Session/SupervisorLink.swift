internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Studio

/// The web process's end of the pipe to its supervisor: standard input and output. Belongs to the thread of the web loop.
final class SupervisorLink {
    private var pending = Data()
    /// When it said last that it works.
    private var lived: ClockTime?

    /// The descriptor that is readable when the supervisor has said something.
    let descriptor: Int32 = STDIN_FILENO
    /// Most bytes of a line: a plan of many cameras.
    private static let longestLine = 8 << 20

    /// Reads what is there. Blocks where nothing is.
    ///
    /// - Returns: The lines that are whole now; `nil` when the supervisor is gone.
    func read() -> [SupervisorLine]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { return [] }
        guard count > 0, pending.count < Self.longestLine else { return nil }
        pending.append(contentsOf: buffer[..<count])
        var lines: [SupervisorLine] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = pending[pending.startIndex..<end]
            pending = Data(pending[pending.index(after: end)...])
            guard let message = SupervisorLine.read(String(decoding: line, as: UTF8.self)) else { return nil }
            lines.append(message)
        }
        return lines
    }

    /// Says something.
    func say(_ line: SupervisorLine) {
        let bytes = Array((line.text + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Says that this process works, at most about once a second.
    func sayAlive(at now: ClockTime) {
        guard lived.map({ now - $0 >= .milliseconds(900) }) ?? true else { return }
        lived = now
        var life = SupervisorLine()
        life.alive = true
        say(life)
    }
}
