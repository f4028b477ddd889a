internal import FoundationEssentials
internal import Media
internal import SessionFolder
internal import Studio

/// Uploads of the phones' local recordings. Forwards the uploads to the supervisor, the only process that writes files,
/// and checks which phone a recording's camera belongs to. Used only on the web loop's thread.
final class PhoneUploads {
    /// A local recording that a phone announces.
    struct Question: Equatable, Decodable {
        /// Name of the session folder.
        let session: String
        let role: String
        /// The phone's number for the local recording.
        let kept: String
        /// Size of the local recording in bytes.
        let bytes: Int64
        /// Whether the phone's user discarded the local recording; `nil` means `false`.
        var discarded: Bool?

        /// Parses a text message. Returns `nil` if the message is invalid.
        init?(_ text: String) {
            do {
                self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                return nil
            }
        }
    }

    private struct Waiting {
        let link: PhoneLink
        let answer: (SupervisorLine.Result) -> Void
    }

    private let say: (SupervisorLine) -> Void
    /// Pending pieces and progress queries, by ticket.
    private var waiting: [Int: Waiting] = [:]
    private var claims: [Int: Waiting] = [:]
    /// Last ticket used. Tickets of phones are negative; HTTP requests use positive tickets.
    private var last = 0

    /// - Parameter say: Sends a message to the supervisor.
    init(_ say: @escaping (SupervisorLine) -> Void) { self.say = say }

    /// Forwards a piece of a local recording, or a query for the number of bytes that have arrived. Each
    /// phone can have only one request in progress. Additional requests are ignored.
    ///
    /// - Parameters:
    ///   - question: The phone's local recording.
    ///   - phone: The phone.
    ///   - link: The connection that receives the result.
    ///   - offset: Offset of the piece, in bytes.
    ///   - bytes: The piece; empty for a query.
    func send(
        _ question: Question, of phone: PhoneIdentity, from link: PhoneLink, at offset: Int64 = 0,
        _ bytes: SharedBytes = SharedBytes(count: 0)
    ) {
        guard !waiting.values.contains(where: { $0.link === link }) else { return }
        last -= 1
        waiting[last] = Waiting(link: link) { result in
            var message = result.status == 200 ? WebJSON.object(result.output) ?? [:] : [:]
            if result.status != 200 { message["text"] = .string(result.output.printable(limit: 1000)) }
            message["type"] = "store"
            message["kept"] = .string(question.kept)
            link.say(message)
        }
        var order = SupervisorLine.Order(ticket: last, task: .store, name: question.session)
        order.piece = PhonePiece(
            device: phone.device, key: phone.key, role: question.role, id: question.kept,
            total: question.bytes, offset: offset,
            bytes: Data(bytes.bytes).base64EncodedString(), isDiscarded: question.discarded ?? false)
        self.order(order)
    }

    /// Asks the supervisor whether a phone owns its camera in the running recording. If no phone owns the camera yet,
    /// this phone becomes its owner.
    ///
    /// - Parameters:
    ///   - phone: The phone.
    ///   - session: Name of the session folder.
    ///   - link: The phone's connection. If the connection ends first, `answer` isn't called.
    ///   - answer: Receives the result: status 200 if the phone owns the camera, 403 if another phone owns it.
    func claim(
        _ phone: PhoneIdentity, in session: String, for link: PhoneLink,
        answer: @escaping (SupervisorLine.Result) -> Void
    ) {
        last -= 1
        claims[last] = Waiting(link: link, answer: answer)
        var order = SupervisorLine.Order(ticket: last, task: .claim, name: session)
        order.phone = phone
        self.order(order)
    }

    private func order(_ order: SupervisorLine.Order) {
        var line = SupervisorLine()
        line.order = order
        say(line)
    }

    /// Handles the supervisor's answer to a piece or a claim.
    ///
    /// - Returns: Whether the result belongs to a phone.
    func take(_ result: SupervisorLine.Result) -> Bool {
        guard result.ticket < 0 else { return false }
        let answered =
            waiting.removeValue(forKey: result.ticket) ?? claims.removeValue(forKey: result.ticket)
        answered?.answer(result)
        return true
    }

    /// Drops the pending requests of a disconnected phone.
    func forget(_ link: PhoneLink) {
        waiting = waiting.filter { $0.value.link !== link }
        claims = claims.filter { $0.value.link !== link }
    }
}
