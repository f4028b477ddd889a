internal import Foundation
internal import Glibc
internal import Media

/// One client of the control socket: its request as far as it has come, then its answer as far as it has been taken.
///
/// Never blocks. Control thread only.
final class ControlConnection {
    enum Phase {
        /// The request has not come whole yet.
        case asking
        /// Somebody does what was asked.
        case working
        /// The answer has not been taken whole yet.
        case answering
        /// The connection can be closed.
        case over
    }

    /// What the client has sent so far.
    enum Request {
        case incomplete
        /// Without its line feed.
        case whole(Data)
        case tooLong
    }

    let number: Int
    let socket: LocalSocket
    private(set) var phase = Phase.asking
    /// When the phase has to be over.
    private(set) var deadline: ClockTime
    private var request = Data()
    private var answer = Data()

    init(number: Int, socket: LocalSocket, deadline: ClockTime) {
        self.number = number
        self.socket = socket
        self.deadline = deadline
    }

    /// What the control thread waits for, as of poll(2); 0 for nothing.
    var events: Int16 {
        switch phase {
        case .asking: Int16(POLLIN)
        case .answering: Int16(POLLOUT)
        case .working, .over: 0
        }
    }

    /// Takes what the client has sent since the last call. A client that has gone ends the connection.
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

    /// The request is whole, and somebody does it until a deadline.
    func beginWork(until deadline: ClockTime) {
        request = Data()
        phase = .working
        self.deadline = deadline
    }

    /// Begins to send the answer, which the client has until a deadline to take.
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
