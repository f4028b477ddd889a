internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamStudio

/// Uploads of the phones' local recordings. Forwards the uploads to the supervisor, the only process that writes files,
/// and checks which phone a recording's camera belongs to. Used only on the web loop's thread.
final class PhoneUploads {
    /// A local recording that a phone announces.
    struct LocalRecording: Equatable, Decodable {
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

    private struct PendingRequest {
        let link: PhoneConnection
        let answer: (SupervisorMessage.Result) -> Void
    }

    private let sendLine: (SupervisorMessage) -> Void
    /// Pending pieces and progress queries, by ticket.
    private var pendingUploads: [Int: PendingRequest] = [:]
    private var pendingClaims: [Int: PendingRequest] = [:]
    /// Last ticket used. Tickets of phones are negative; HTTP requests use positive tickets.
    private var lastTicket = 0

    /// - Parameter sendLine: Sends a message to the supervisor.
    init(_ sendLine: @escaping (SupervisorMessage) -> Void) { self.sendLine = sendLine }

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
        _ question: LocalRecording, of phone: PhoneIdentity, from link: PhoneConnection, at offset: Int64 = 0,
        _ bytes: SharedBytes = SharedBytes(count: 0)
    ) {
        guard !pendingUploads.values.contains(where: { $0.link === link }) else { return }
        lastTicket -= 1
        pendingUploads[lastTicket] = PendingRequest(link: link) { result in
            var message = result.status == 200 ? WebJSON.object(result.output) ?? [:] : [:]
            if result.status != 200 { message["text"] = .string(result.output.printable(limit: 1000)) }
            message["type"] = "store"
            message["kept"] = .string(question.kept)
            link.send(message)
        }
        var order = SupervisorMessage.Request(ticket: lastTicket, task: .store, name: question.session)
        order.piece = PhonePiece(
            device: phone.device, key: phone.key, role: question.role, id: question.kept,
            total: question.bytes, offset: offset,
            bytes: Data(bytes.bytes).base64EncodedString(), isDiscarded: question.discarded ?? false)
        self.submit(order)
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
        _ phone: PhoneIdentity, in session: String, for link: PhoneConnection,
        answer: @escaping (SupervisorMessage.Result) -> Void
    ) {
        lastTicket -= 1
        pendingClaims[lastTicket] = PendingRequest(link: link, answer: answer)
        var order = SupervisorMessage.Request(ticket: lastTicket, task: .claim, name: session)
        order.phone = phone
        self.submit(order)
    }

    private func submit(_ order: SupervisorMessage.Request) {
        var line = SupervisorMessage()
        line.order = order
        sendLine(line)
    }

    /// Handles the supervisor's answer to a piece or a claim.
    ///
    /// - Returns: Whether the result belongs to a phone.
    func handle(_ result: SupervisorMessage.Result) -> Bool {
        guard result.ticket < 0 else { return false }
        let answered =
            pendingUploads.removeValue(forKey: result.ticket)
            ?? pendingClaims.removeValue(forKey: result.ticket)
        answered?.answer(result)
        return true
    }

    /// Drops the pending requests of a disconnected phone.
    func cancelRequests(of link: PhoneConnection) {
        pendingUploads = pendingUploads.filter { $0.value.link !== link }
        pendingClaims = pendingClaims.filter { $0.value.link !== link }
    }
}
