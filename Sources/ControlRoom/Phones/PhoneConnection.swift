internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamSessionFolder

/// A connected phone: its WebSocket, its clock, and its rate limit. Used only on the web loop's thread.
final class PhoneConnection {
    /// A message from a phone.
    enum Message {
        case offer(PhoneOffer)
        case media(TimestampedPhoneMedia)
        /// Reports the current values of the phone's camera controls.
        case controls(ReportedControls)
        /// Announces a local recording, and asks how many of its bytes have arrived.
        case localRecording(PhoneUploads.LocalRecording)
        /// A piece of a local recording, and its offset in bytes.
        case piece(PhoneUploads.LocalRecording, at: Int64, SharedBytes)
        /// Reports that the phone can't continue, with the reason as a clause. The phone ends the connection.
        case fault(String)
        /// An invalid message, or a message that exceeds the rate limit. After such a message, the connection
        /// is closed.
        case protocolViolation(String)
    }

    /// Operations on the phone's connection.
    struct Transport {
        let send: (String) -> Void
        /// Closes the connection after the phone has read the pending messages.
        let close: () -> Void
        /// Closes the connection immediately.
        let disconnect: () -> Void
        /// Closes the connection immediately if the phone doesn't read the sent messages.
        let endIfStalled: (ClockTime) -> Void
    }

    private struct TextMessage: Decodable {
        var type: String
        var id: Int?
        var at_us: Int64?
        var text: String?
    }

    private let transport: Transport
    private var clock = PhoneClock()
    /// Send times of the unanswered clock queries, by query number.
    private var pendingQueries: [Int: ClockTime] = [:]
    private var queryCount = 0
    private var lastQueryTime: ClockTime?
    /// Time when the last message arrived.
    private(set) var lastMessageTime: ClockTime
    /// Bytes and messages received since the current one-second window began.
    private var receivedInWindow = (bytes: 0, messages: 0)
    private var windowStart: ClockTime
    /// Description of the media that the phone sends; `nil` until the phone announces it.
    private(set) var offer: PhoneOffer?
    /// Whether the registry has confirmed that the phone owns its name.
    private var isAdmitted = false
    /// Whether the phone may send media.
    private var maySendMedia = false
    /// The local recording that the phone is uploading.
    private var currentUpload: PhoneUploads.LocalRecording?
    private var sentState: [String: JSONValue] = [:]
    private(set) var isDisconnected = false

    /// Maximum number of bytes and messages received per second.
    private static let rateLimit = (bytes: 24 << 20, messages: 1200)
    /// Maximum size of a message with a piece of a local recording, in bytes.
    private static let longestPiece = 1 << 20
    /// Maximum size of a text message, in bytes.
    private static let longestText = WebSocketConnection.longestMessage
    /// Minimum number of clock queries at the fast rate, and their interval. Once the offset of the phone's
    /// clock is known, one query per second is enough.
    private static let fastQueries = (count: 8, interval: Nanoseconds.milliseconds(100))
    private static let queryInterval = Nanoseconds.seconds(1)
    /// Maximum number of unanswered clock queries. Older queries are dropped.
    private static let maxPendingQueries = 16
    /// Time without a message after which a phone counts as disconnected.
    private static let silenceTimeout = Nanoseconds.seconds(3)
    /// Maximum error of the capture times that a browser reports, and maximum delay from capture to the page
    /// for browsers that don't report capture times.
    private static let timestampErrors = (
        capture: Nanoseconds.milliseconds(10), arrival: Nanoseconds.milliseconds(200)
    )

    init(_ wire: Transport, at now: ClockTime) {
        (self.transport, lastMessageTime, windowStart) = (wire, now, now)
    }

    // MARK: Outgoing messages

    func send(_ message: [String: JSONValue]) { transport.send(WebJSON.text(message)) }

    /// Sends the phone its state if the state has changed.
    func send(state: [String: JSONValue]) {
        guard maySendMedia, state != sentState else { return }
        sentState = state
        send(state)
    }

    /// Sends the offset and error of the phone's clock relative to CLOCK_MONOTONIC, if they are known.
    func sendClockOffset(at now: ClockTime) {
        guard maySendMedia, let offset = clock.offset, let error = error(at: now) else { return }
        send([
            "type": "date", "offset_us": .integer(offset.count / 1000),
            "error_us": .integer(error.count / 1000),
        ])
    }

    /// Closes the connection with a message for the phone's user.
    func refuse(_ sentence: String) {
        send(["type": "refused", "text": .string(sentence)])
        isDisconnected = true
        transport.close()
    }

    /// Closes the connection immediately.
    func disconnect() {
        isDisconnected = true
        transport.disconnect()
    }

    /// Sends a clock query if one is due. Call this function several times per second.
    func queryClock(at now: ClockTime) {
        let isQuick = queryCount < Self.fastQueries.count || !clock.isKnown
        let interval = isQuick ? Self.fastQueries.interval : Self.queryInterval
        guard !isDisconnected, lastQueryTime.map({ now - $0 >= interval }) ?? true else { return }
        (lastQueryTime, queryCount) = (now, queryCount + 1)
        pendingQueries[queryCount] = now
        pendingQueries[queryCount - Self.maxPendingQueries] = nil
        send(["type": "ping", "id": .integer(Int64(queryCount))])
    }

    /// Whether the phone has been silent long enough to count as disconnected.
    func isSilent(at now: ClockTime) -> Bool { now - lastMessageTime > Self.silenceTimeout }

    /// Closes the connection if the phone doesn't read the sent messages.
    func endIfStalled(at now: ClockTime) { transport.endIfStalled(now) }

    /// Maximum error of the frames' timestamps; `nil` while the offset of the phone's clock is unknown.
    func error(at now: ClockTime) -> Nanoseconds? { error(of: .h264, at: now) }

    private func error(of kind: PhoneMedia.Kind, at now: ClockTime) -> Nanoseconds? {
        guard let offer, let error = clock.error(at: now) else { return nil }
        return error
            + (offer.origin(of: kind) == .mapped
                ? Self.timestampErrors.capture : Self.timestampErrors.arrival)
    }

    // MARK: Incoming messages

    /// Handles a text message.
    ///
    /// - Returns: The resulting action; `nil` if the message doesn't cause any action.
    func handle(text: String, at now: ClockTime) -> Message? {
        if let excess = checkRateLimit(text.utf8.count, at: now) { return excess }
        guard text.utf8.count <= Self.longestText else {
            return .protocolViolation(
                "the phone sent a text message larger than \(Self.longestText >> 10) kB")
        }
        let word: TextMessage
        do {
            word = try JSONDecoder().decode(TextMessage.self, from: Data(text.utf8))
        } catch {
            return .protocolViolation("the phone sent an invalid text message")
        }
        switch word.type {
        case "pong":
            guard let id = word.id, let time = word.at_us, let asked = pendingQueries.removeValue(forKey: id)
            else {
                return nil
            }
            clock.record(.microseconds(time), queriedAt: asked, answeredAt: now)
            sendWelcomeIfReady()
            return nil
        case "offer":
            guard offer == nil else { return .protocolViolation("the phone sent more than one offer") }
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
                let reported = try JSONDecoder().decode(ReportedControls.self, from: Data(text.utf8))
                return maySendMedia ? .controls(reported) : nil
            } catch {
                return .protocolViolation("the phone sent an invalid text message")
            }
        case "stored":
            guard let question = PhoneUploads.LocalRecording(text) else {
                return .protocolViolation("the phone sent an invalid text message")
            }
            guard maySendMedia else { return nil }
            currentUpload = question
            return .localRecording(question)
        // Unknown message types are ignored, because later versions of the page may send more types.
        default: return nil
        }
    }

    /// Handles a binary message.
    ///
    /// - Returns: The resulting action; `nil` if the message doesn't cause any action.
    func handle(_ bytes: UnsafeRawBufferPointer, at now: ClockTime) -> Message? {
        if let excess = checkRateLimit(bytes.count, at: now) { return excess }
        if let head = PhoneMessage(bytes), head.kind == .stored {
            guard let currentUpload, bytes.count <= Self.longestPiece else {
                return .protocolViolation("the phone sent part of a file that it had not announced")
            }
            let content = UnsafeRawBufferPointer(rebasing: bytes[PhoneMessage.headerSize...])
            return .piece(currentUpload, at: head.number, SharedBytes(copying: content))
        }
        guard let media = PhoneMedia(bytes) else {
            return .protocolViolation("the phone sent an invalid binary message")
        }
        guard !media.lacksParameterSets else {
            refuse("The phone's browser sent H.264 without parameter sets, which cannot be recorded.")
            return nil
        }
        guard maySendMedia, let time = clock.time(of: media.time), let error = error(of: media.kind, at: now)
        else {
            return nil
        }
        return .media(TimestampedPhoneMedia(media, at: time, within: error))
    }

    /// Confirms that the phone owns its name and may start sending.
    func admit() {
        isAdmitted = true
        sendWelcomeIfReady()
    }

    /// Lets the phone send once it owns its name and its frames can be timestamped.
    private func sendWelcomeIfReady() {
        guard isAdmitted, !maySendMedia, clock.isKnown else { return }
        (maySendMedia, sentState) = (true, [:])
        send(["type": "welcome"])
    }

    private func checkRateLimit(_ bytes: Int, at now: ClockTime) -> Message? {
        lastMessageTime = now
        if now - windowStart >= .seconds(1) { (windowStart, receivedInWindow) = (now, (0, 0)) }
        receivedInWindow = (receivedInWindow.bytes + bytes, receivedInWindow.messages + 1)
        guard receivedInWindow.bytes <= Self.rateLimit.bytes,
            receivedInWindow.messages <= Self.rateLimit.messages
        else {
            return .protocolViolation(
                "the phone sent more than \(Self.rateLimit.messages) messages or \(Self.rateLimit.bytes >> 20) MB per second"
            )
        }
        return nil
    }
}

/// Maps a phone's clock to CLOCK_MONOTONIC by querying the phone's time.
///
/// An answer gives the phone's time at some instant between the query and the answer's arrival, so the
/// maximum error of the offset is half the round-trip time. The answer with the smallest error is used. The
/// error of an answer grows with age because the two clocks drift apart. This value type receives the current
/// time as an argument.
struct PhoneClock {
    private struct Answer {
        /// Time of the midpoint of the round trip.
        let at: ClockTime
        /// Offset from the phone's clock to CLOCK_MONOTONIC.
        let offset: Nanoseconds
        /// Half the round-trip time.
        let error: Nanoseconds

        func error(at now: ClockTime) -> Nanoseconds {
            error + Nanoseconds.seconds(rounding: max((now - at).inSeconds, 0) * PhoneClock.drift)
        }
    }

    private var answers: [Answer] = []
    /// Offset from the phone's clock to CLOCK_MONOTONIC, as currently used to timestamp frames.
    private(set) var offset: Nanoseconds?
    private var lastUpdate: ClockTime?

    /// Maximum relative drift between two clocks: twice the drift of quartz oscillators.
    private static let drift = 0.000_1
    /// Maximum slew rate of the offset, in seconds per second. The rate is faster than any clock drift, and too slow to
    /// be visible.
    private static let slew = 0.002
    /// Maximum round-trip time of a usable answer.
    private static let maxRoundTripTime = Nanoseconds.seconds(1)
    /// Difference between two answers above which the phone's clock is considered to have changed, because it
    /// stopped while the phone was asleep.
    private static let jump = Nanoseconds.milliseconds(20)
    private static let mostAnswers = 30
    /// Minimum number of answers before timestamps are trusted.
    private static let fewestAnswers = 5

    /// Whether frames can be timestamped.
    var isKnown: Bool { answers.count >= Self.fewestAnswers }

    /// Records an answer to a clock query.
    ///
    /// - Parameters:
    ///   - phone: The phone's time.
    ///   - queriedAt: Time when the query was sent.
    ///   - answeredAt: Time when the answer arrived.
    mutating func record(_ phone: Nanoseconds, queriedAt: ClockTime, answeredAt: ClockTime) {
        let way = answeredAt - queriedAt
        guard way >= .zero, way < Self.maxRoundTripTime else { return }
        let middle = queriedAt + way / 2
        let answer = Answer(at: middle, offset: Nanoseconds(middle.nanoseconds) - phone, error: way / 2)
        if let best = best(at: answeredAt) {
            let apart = (answer.offset - best.offset).magnitude
            if apart > answer.error + best.error(at: answeredAt) + Self.jump {
                (answers, offset, lastUpdate) = ([], nil, nil)
            }
        }
        answers.append(answer)
        if answers.count > Self.mostAnswers { answers.removeFirst() }
        updateOffset(at: answeredAt)
    }

    /// Converts a time on the phone's clock to CLOCK_MONOTONIC.
    ///
    /// - Parameter phone: The phone's time.
    /// - Returns: The time on CLOCK_MONOTONIC; `nil` while the offset of the phone's clock is unknown.
    func time(of phone: Nanoseconds) -> ClockTime? {
        guard isKnown, let offset else { return nil }
        return ClockTime(nanoseconds: (phone + offset).count)
    }

    /// Maximum error of converted times; `nil` while the offset of the phone's clock is unknown.
    func error(at now: ClockTime) -> Nanoseconds? {
        guard isKnown, let offset, let best = best(at: now) else { return nil }
        return best.error(at: now) + (best.offset - offset).magnitude
    }

    private func best(at now: ClockTime) -> Answer? { answers.min { $0.error(at: now) < $1.error(at: now) } }

    private mutating func updateOffset(at now: ClockTime) {
        guard let target = best(at: now)?.offset else { return }
        // The first answers change the offset at once instead of slewing it, because no frame has been
        // timestamped yet.
        guard let offset, answers.count > Self.fewestAnswers else {
            (self.offset, lastUpdate) = (target, now)
            return
        }
        let passed = lastUpdate.map { min(max(now - $0, .zero), .seconds(5)) } ?? .zero
        lastUpdate = now
        let most = Nanoseconds.seconds(rounding: passed.inSeconds * Self.slew)
        self.offset = offset + min(max(target - offset, -most), most)
    }
}
