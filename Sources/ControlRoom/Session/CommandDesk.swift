internal import Control
internal import FoundationEssentials
internal import Media
internal import Studio

/// Hands commands to the recorder, each on a thread of its own, since an answer may take a while. Safe to use from any thread.
final class CommandDesk: Sendable {
    private let mailbox: WebMailbox<RoomMessage>
    private let connector: RecorderConnector
    private let working = ConditionLock(0)

    /// Most commands that are under way at once.
    private static let most = 16

    init(_ mailbox: WebMailbox<RoomMessage>, _ connector: RecorderConnector) {
        (self.mailbox, self.connector) = (mailbox, connector)
    }

    /// Sends a command. The answer comes to the mailbox as `answered`.
    ///
    /// - Parameters:
    ///   - words: The words of `multicam ctl`.
    ///   - process: The recorder.
    ///   - ticket: The number of the request.
    ///   - wantsControls: Whether the answer is the camera's controls where the reply has them, also when the camera took a value
    ///     otherwise than asked, which they tell.
    func send(_ words: [String], to process: Int32, ticket: Int, wantsControls: Bool = false) {
        let isAdmitted = working.withLock { working in
            guard working < Self.most else { return false }
            working += 1
            return true
        }
        guard isAdmitted else {
            return answer(
                ticket, 503, ControlReply(ok: false, text: "too many commands are under way: say it again."))
        }
        _ = MediaThread(name: "command") { [self] in
            defer { working.withLock { $0 -= 1 } }
            do throws(ControlError) {
                let request = try CommandRequest(words: words)
                let reply = try ControlClient.ask(
                    request, over: try connector.connect(.control, of: process))
                if wantsControls, let controls = reply.controls {
                    let told = ToldControls(ok: reply.ok, text: reply.text, controls)
                    mailbox.post(.answered(ticket: ticket, status: 200, json: WebJSON.text(told)))
                } else {
                    answer(ticket, reply.ok ? 200 : reply.usage ? 400 : 409, reply)
                }
            } catch {
                switch error {
                case .usage(let text): answer(ticket, 400, ControlReply(ok: false, text: text, usage: true))
                case .nobody(let text), .system(let text):
                    answer(ticket, 503, ControlReply(ok: false, text: text))
                }
            }
        }
    }

    /// The controls of a camera, with what was done.
    private struct ToldControls: Encodable {
        let ok: Bool
        let text: String
        let camera: ControlsReport.Camera
        let controls: [ControlsReport.Control]
        let set: [ControlsReport.Setting]
        let presets: [String]

        init(ok: Bool, text: String, _ report: ControlsReport) {
            (self.ok, self.text) = (ok, text.printable(limit: 2000))
            (camera, controls) = (report.camera, report.controls)
            (set, presets) = (report.set, report.presets)
        }
    }

    private func answer(_ ticket: Int, _ status: Int, _ reply: ControlReply) {
        mailbox.post(.answered(ticket: ticket, status: status, json: WebJSON.text(reply)))
    }

    /// The words of a request's body: `{"command":"mark question 2"}` or `{"words":["mark","question 2"]}`; `nil` when it is neither.
    static func words(_ body: Data) -> [String]? {
        struct Request: Decodable {
            var command: String?
            var words: [String]?
        }
        do {
            let request = try JSONDecoder().decode(Request.self, from: body)
            let words = request.words ?? request.command?.split(separator: " ").map { String($0) } ?? []
            return words.isEmpty ? nil : words
        } catch {
            return nil
        }
    }
}
