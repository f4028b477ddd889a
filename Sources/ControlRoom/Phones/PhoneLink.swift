internal import FoundationEssentials
internal import Media
internal import MediaLink
internal import SessionFolder

/// One phone that is connected: its WebSocket, its clock, and how much it may say. Belongs to the thread of the web loop.
final class PhoneLink {
    /// What comes of a phone.
    enum News {
        case offer(PhoneOffer)
        case media(DatedPhoneMedia)
        /// It tells of its controls.
        case controls(ToldControls)
        /// It has kept something of a recording, and asks how much of that has arrived.
        case kept(PhoneUploads.Question)
        /// A piece of that, and where it lies in it in bytes.
        case piece(PhoneUploads.Question, at: Int64, SharedBytes)
        /// It cannot go on, as a clause: it ends the connection.
        case fault(String)
        /// It has said something that is not understood, or too much: it is cut off.
        case nonsense(String)
    }

    /// What is done to its connection.
    struct Wire {
        let send: (String) -> Void
        /// Ends the connection when what was sent is read.
        let close: () -> Void
        /// Ends the connection at once.
        let disconnect: () -> Void
        /// Ends the connection at once when nothing of what was sent is read.
        let endIfStalled: (ClockTime) -> Void
    }

    private struct Word: Decodable {
        var type: String
        var id: Int?
        var at_us: Int64?
        var text: String?
    }

    private let wire: Wire
    private var clock = PhoneClock()
    /// When questions for the phone's time were asked that are not answered, by their numbers.
    private var asked: [Int: ClockTime] = [:]
    private var questions = 0
    private var askedLast: ClockTime?
    /// When something of it came last.
    private(set) var heard: ClockTime
    /// Bytes and messages since the last second began.
    private var said = (bytes: 0, messages: 0)
    private var second: ClockTime
    /// What it sends, once it has told.
    private(set) var offer: PhoneOffer?
    /// Whether its name is its own.
    private var isAdmitted = false
    /// Whether it may send.
    private var isWelcome = false
    /// What it has kept and sends now.
    private var kept: PhoneUploads.Question?
    private var told: [String: JSONValue] = [:]
    private(set) var isCutOff = false

    /// Most that a phone may say in a second.
    private static let most = (bytes: 24 << 20, messages: 1200)
    /// Most bytes of a message with a piece of what was kept.
    private static let longestPiece = 1 << 20
    /// Most bytes of a text message.
    private static let longestText = WebSocketLink.longestMessage
    /// Questions that are asked quickly at least, and how quickly; once the clock is known one a second is enough.
    private static let quick = (count: 8, interval: Nanoseconds.milliseconds(100))
    private static let interval = Nanoseconds.seconds(1)
    /// Most questions without an answer: those before are forgotten.
    private static let mostAsked = 16
    /// A phone that says nothing for this long is away.
    private static let patience = Nanoseconds.seconds(3)
    /// How far off a browser's own capture times may be, and what is not known of the way to the page where it tells none.
    private static let reports = (
        capture: Nanoseconds.milliseconds(10), arrival: Nanoseconds.milliseconds(200)
    )

    init(_ wire: Wire, at now: ClockTime) {
        (self.wire, heard, second) = (wire, now, now)
    }

    // MARK: What it is told

    func say(_ message: [String: JSONValue]) { wire.send(WebJSON.text(message)) }

    /// Tells its state where that has changed.
    func tell(state: [String: JSONValue]) {
        guard isWelcome, state != told else { return }
        told = state
        say(state)
    }

    /// Tells how its clock is related to ours, where that is known.
    func tellDate(at now: ClockTime) {
        guard isWelcome, let offset = clock.offset, let error = error(at: now) else { return }
        say([
            "type": "date", "offset_us": .integer(offset.count / 1000),
            "error_us": .integer(error.count / 1000),
        ])
    }

    /// Ends the connection with a sentence for its user.
    func refuse(_ sentence: String) {
        say(["type": "refused", "text": .string(sentence)])
        isCutOff = true
        wire.close()
    }

    /// Ends the connection at once.
    func cutOff() {
        isCutOff = true
        wire.disconnect()
    }

    /// Asks for the phone's time when that is due. Called some times a second.
    func ask(at now: ClockTime) {
        let isQuick = questions < Self.quick.count || !clock.isKnown
        let interval = isQuick ? Self.quick.interval : Self.interval
        guard !isCutOff, askedLast.map({ now - $0 >= interval }) ?? true else { return }
        (askedLast, questions) = (now, questions + 1)
        asked[questions] = now
        asked[questions - Self.mostAsked] = nil
        say(["type": "ping", "id": .integer(Int64(questions))])
    }

    /// Whether nothing has come for so long that the phone is away.
    func isSilent(at now: ClockTime) -> Bool { now - heard > Self.patience }

    /// Ends the connection when nothing of what it is told is read.
    func endIfStalled(at now: ClockTime) { wire.endIfStalled(now) }

    /// How far off the times of its frames may be; `nil` while that is not known.
    func error(at now: ClockTime) -> Nanoseconds? { error(of: .h264, at: now) }

    private func error(of kind: PhoneMedia.Kind, at now: ClockTime) -> Nanoseconds? {
        guard let offer, let error = clock.error(at: now) else { return nil }
        return error + (offer.origin(of: kind) == .mapped ? Self.reports.capture : Self.reports.arrival)
    }

    // MARK: What it says

    /// Takes a text message.
    ///
    /// - Returns: What there is to do; `nil` for nothing.
    func take(text: String, at now: ClockTime) -> News? {
        if let excess = count(text.utf8.count, at: now) { return excess }
        guard text.utf8.count <= Self.longestText else {
            return .nonsense("it sent a text of more than \(Self.longestText >> 10) kB")
        }
        let word: Word
        do {
            word = try JSONDecoder().decode(Word.self, from: Data(text.utf8))
        } catch {
            return .nonsense("it sent text that is not understood")
        }
        switch word.type {
        case "pong":
            guard let id = word.id, let time = word.at_us, let asked = asked.removeValue(forKey: id) else {
                return nil
            }
            clock.note(.microseconds(time), asked: asked, answered: now)
            welcome()
            return nil
        case "offer":
            guard offer == nil else { return .nonsense("it sent a second offer") }
            do throws(PhoneOffer.Refusal) {
                let offer = try PhoneOffer(text)
                self.offer = offer
                return .offer(offer)
            } catch {
                refuse(error.sentence)
                return nil
            }
        case "fault": return .fault((word.text ?? "").printable())
        case "controls":
            do {
                let told = try JSONDecoder().decode(ToldControls.self, from: Data(text.utf8))
                return isWelcome ? .controls(told) : nil
            } catch {
                return .nonsense("it sent text that is not understood")
            }
        case "stored":
            guard let question = PhoneUploads.Question(text) else {
                return .nonsense("it sent text that is not understood")
            }
            guard isWelcome else { return nil }
            kept = question
            return .kept(question)
        // Later pages may say more.
        default: return nil
        }
    }

    /// Takes a binary message.
    ///
    /// - Returns: What there is to do; `nil` for nothing.
    func take(_ bytes: UnsafeRawBufferPointer, at now: ClockTime) -> News? {
        if let excess = count(bytes.count, at: now) { return excess }
        if let head = PhoneMessage(bytes), head.kind == .stored {
            guard let kept, bytes.count <= Self.longestPiece else {
                return .nonsense("it sent a piece of nothing")
            }
            let content = UnsafeRawBufferPointer(rebasing: bytes[PhoneMessage.prefix...])
            return .piece(kept, at: head.number, SharedBytes(copying: content))
        }
        guard let media = PhoneMedia(bytes) else { return .nonsense("it sent bytes that are not understood") }
        guard !media.lacksParameterSets else {
            refuse("The phone's browser sends H.264 without parameter sets, which cannot be recorded.")
            return nil
        }
        guard isWelcome, let time = clock.time(of: media.time), let error = error(of: media.kind, at: now)
        else {
            return nil
        }
        return .media(DatedPhoneMedia(media, at: time, within: error))
    }

    /// The phone may begin to send: its name is its own.
    func admit() {
        isAdmitted = true
        welcome()
    }

    /// Lets the phone send as soon as its name is its own and its frames can be dated.
    private func welcome() {
        guard isAdmitted, !isWelcome, clock.isKnown else { return }
        (isWelcome, told) = (true, [:])
        say(["type": "welcome"])
    }

    private func count(_ bytes: Int, at now: ClockTime) -> News? {
        heard = now
        if now - second >= .seconds(1) { (second, said) = (now, (0, 0)) }
        said = (said.bytes + bytes, said.messages + 1)
        guard said.bytes <= Self.most.bytes, said.messages <= Self.most.messages else {
            return .nonsense(
                "it sent more than \(Self.most.messages) messages or \(Self.most.bytes >> 20) MB in a second")
        }
        return nil
    }
}
