internal import FoundationEssentials
internal import Media
internal import SessionFolder
internal import Studio

/// What phones have kept of recordings, on its way to the supervisor, which alone writes files. Belongs to the thread of the web loop.
final class PhoneUploads {
    /// What a phone says that it has kept.
    struct Question: Equatable, Decodable {
        /// Name of the session folder.
        let session: String
        let role: String
        /// The number by which the phone knows it.
        let kept: String
        /// Size in bytes.
        let bytes: Int64
        /// Whether its user has thrown it away; `nil` for no.
        var discarded: Bool?

        /// Reads a text message; `nil` when it is none, or longer than any.
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
        let id: String
    }

    private let say: (SupervisorLine) -> Void
    private var waiting: [Int: Waiting] = [:]
    /// Orders of phones have numbers below 0: requests have the others.
    private var last = 0

    /// - Parameter say: Tells the supervisor something.
    init(_ say: @escaping (SupervisorLine) -> Void) { self.say = say }

    /// Hands on a piece, or the question how much has arrived. A phone has one under way at a time; more are not heard.
    ///
    /// - Parameters:
    ///   - question: What the phone has kept.
    ///   - device: Its selector.
    ///   - link: Who is told what becomes of it.
    ///   - offset: Where the piece lies, in bytes.
    ///   - bytes: The piece; empty for the question.
    func send(
        _ question: Question, of device: String, from link: PhoneLink, at offset: Int64 = 0,
        _ bytes: SharedBytes = SharedBytes(count: 0)
    ) {
        guard !waiting.values.contains(where: { $0.link === link }) else { return }
        last -= 1
        waiting[last] = Waiting(link: link, id: question.kept)
        var order = SupervisorLine.Order(ticket: last, task: .store, name: question.session)
        order.piece = PhonePiece(
            device: device, role: question.role, id: question.kept, total: question.bytes, offset: offset,
            bytes: Data(bytes.bytes).base64EncodedString(), isDiscarded: question.discarded ?? false)
        var line = SupervisorLine()
        line.order = order
        say(line)
    }

    /// Tells a phone what has become of its piece.
    ///
    /// - Returns: Whether the result is one of a phone's piece.
    func take(_ result: SupervisorLine.Result) -> Bool {
        guard result.ticket < 0 else { return false }
        guard let answered = waiting.removeValue(forKey: result.ticket) else { return true }
        var message = result.status == 200 ? WebJSON.object(result.output) ?? [:] : [:]
        if result.status != 200 { message["text"] = .string(result.output.printable(limit: 1000)) }
        message["type"] = "store"
        message["kept"] = .string(answered.id)
        answered.link.say(message)
        return true
    }

    /// Forgets a phone whose connection has ended.
    func forget(_ link: PhoneLink) { waiting = waiting.filter { $0.value.link !== link } }
}
