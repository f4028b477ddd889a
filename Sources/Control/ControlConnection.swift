internal import FoundationEssentials
internal import Glibc
internal import Media

/// One client of the control socket: receives its request, then sends its answer.
///
/// Never blocks. Used on the control thread only.
final class ControlConnection {
    enum Phase {
        /// The request is incomplete.
        case asking
        /// The command is being carried out.
        case working
        /// The answer is not sent completely.
        case answering
        /// The connection can be closed.
        case over
    }

    /// The request received so far.
    enum Request {
        case incomplete
        /// The request without its line feed.
        case whole(Data)
        case tooLong
    }

    let number: Int
    let socket: LocalSocket
    private(set) var phase = Phase.asking
    /// When the present phase must be over.
    private(set) var deadline: ClockTime
    private var request = Data()
    private var answer = Data()

    init(number: Int, socket: LocalSocket, deadline: ClockTime) {
        self.number = number
        self.socket = socket
        self.deadline = deadline
    }

    /// The poll(2) events to wait for in the present phase; 0 for none.
    var events: Int16 {
        switch phase {
        case .asking: Int16(POLLIN)
        case .answering: Int16(POLLOUT)
        case .working, .over: 0
        }
    }

    /// Receives what the client has sent since the last call. A client that has disconnected ends the connection.
    func read() -> Request {
        while true {
            switch socket.receive() {
            case .bytes(let bytes):
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    request += bytes[..<end]
                    return request.count > LocalSocket.longestRequest ? .tooLong : .whole(request)
                }
                request += bytes
                if request.count > LocalSocket.longestRequest { return .tooLong }
            case .nothingYet: return .incomplete
            case .end:
                phase = .over
                return .incomplete
            }
        }
    }

    /// Marks the request as being carried out, until a deadline.
    func beginWork(until deadline: ClockTime) {
        request = Data()
        phase = .working
        self.deadline = deadline
    }

    /// Starts to send the answer, which the client must take before a deadline.
    func give(_ line: Data, until deadline: ClockTime) {
        request = Data()
        answer = line
        answer.append(UInt8(ascii: "\n"))
        phase = .answering
        self.deadline = deadline
        write()
    }

    /// Sends as much of the answer as the client takes now.
    func write() {
        guard phase == .answering else { return }
        guard let count = socket.send(answer) else {
            phase = .over
            return
        }
        answer = answer.dropFirst(count)
        if answer.isEmpty { phase = .over }
    }

    func end() { phase = .over }
}
