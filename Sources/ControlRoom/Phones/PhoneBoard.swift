internal import Media
internal import SessionFolder

/// The phones that are cameras: who has which name, what they send, and what they are told. Belongs to the thread of the web loop.
final class PhoneBoard {
    /// A phone, by the name that its user chose. It stays when its connection ends, so that it comes back as the same camera.
    private struct Phone {
        let key: String
        let source: PhoneSource
        var offer: PhoneOffer
        var link: PhoneLink?
        /// Why the recorder does not take it; `nil` while it does, or is not there.
        var problem: String?
        /// When its connection ended.
        var leftAt: ClockTime?
    }

    private let tell: @Sendable (String, PhoneSource.News) -> Void
    private let recorder: PhoneSource.Recorder
    private var links: [ObjectIdentifier: PhoneLink] = [:]
    private var phones: [String: Phone] = [:]
    private var state = ""
    /// Roles and tallies of the cameras, by the names of their devices.
    private var cameras: [String: (role: String, tally: String)] = [:]
    private var nextRoles: Set<String> = []
    /// Name of the session folder into which is recorded now; `nil` for none.
    private var recording: String?
    private let uploads: PhoneUploads

    private static let mostLinks = 24
    private static let mostPhones = 16
    /// A phone that has been away for this long gives up its name where there is no room.
    private static let longestAway = Nanoseconds.seconds(600)

    /// - Parameters:
    ///   - recorder: How the recorder is reached.
    ///   - uploads: Hands on what phones have kept.
    ///   - tell: Gets news of the recorder about the phone of a name, on any thread.
    init(
        _ recorder: PhoneSource.Recorder, _ uploads: PhoneUploads,
        tell: @escaping @Sendable (String, PhoneSource.News) -> Void
    ) {
        (self.recorder, self.uploads, self.tell) = (recorder, uploads, tell)
    }

    /// The link that makes a phone a camera; `nil` before it is known where is listened.
    var invitation: PhoneInvitation?

    /// Ends the threads of all phones.
    func close() { for phone in phones.values { phone.source.close() } }

    // MARK: Connections

    /// Takes a phone that connects.
    func admit(_ socket: WebSocketLink) {
        guard links.count < Self.mostLinks else {
            return socket.close(1013, "\(Self.mostLinks) phones are connected already, which is the most.")
        }
        let wire = PhoneLink.Wire(
            send: { socket.send($0) }, close: { socket.close(1008, "refused") },
            disconnect: { socket.disconnect() }, endIfStalled: { socket.endIfStalled(at: $0) })
        let link = PhoneLink(wire, at: MonotonicClock().now)
        let place = ObjectIdentifier(link)
        links[place] = link
        socket.received = { [unowned self, unowned link] text in
            guard !link.isCutOff else { return }
            take(link.take(text: text, at: MonotonicClock().now), from: link)
        }
        socket.receivedBytes = { [unowned self, unowned link] bytes in
            guard !link.isCutOff else { return }
            take(link.take(bytes, at: MonotonicClock().now), from: link)
        }
        socket.closed = { [unowned self, unowned link] in
            leave(link, because: "its connection has ended")
            uploads.forget(link)
            links[place] = nil
        }
        link.ask(at: MonotonicClock().now)
    }

    private func take(_ news: PhoneLink.News?, from link: PhoneLink) {
        switch news {
        case .none: break
        case .offer(let offer): take(offer, from: link)
        case .media(let media):
            if let name = name(of: link) { phones[name]?.source.take(media) }
        case .controls(let told):
            if let name = name(of: link) { phones[name]?.source.take(told) }
        case .fault(let text):
            let cause = "the phone cannot go on: \(text)"
            if let name = name(of: link) { phones[name]?.problem = cause }
            leave(link, because: cause)
        case .kept(let question):
            if name(of: link) != nil, let device = link.offer?.selector {
                uploads.send(question, of: device, from: link)
            }
        case .piece(let question, let offset, let bytes):
            if name(of: link) != nil, let device = link.offer?.selector {
                uploads.send(question, of: device, from: link, at: offset, bytes)
            }
        case .nonsense(let sentence):
            leave(link, because: sentence)
            link.cutOff()
        }
    }

    private func take(_ offer: PhoneOffer, from link: PhoneLink) {
        if let known = phones[offer.name] {
            guard known.key == offer.key else {
                return link.refuse("Another phone has the name \(offer.name): choose another one.")
            }
            if let former = known.link, former !== link { former.cutOff() }
        } else {
            guard makeRoom(at: MonotonicClock().now) else {
                return link.refuse("\(Self.mostPhones) phones are cameras already, which is the most.")
            }
        }
        let (tell, name) = (tell, offer.name)
        let source =
            phones[name]?.source
            ?? PhoneSource(recorder) { tell(name, $0) }
        phones[name] = Phone(key: offer.key, source: source, offer: offer, link: link)
        source.begin(offer)
        link.admit()
        show(link, name)
    }

    private func makeRoom(at now: ClockTime) -> Bool {
        if phones.count < Self.mostPhones { return true }
        let away = phones.filter { $0.value.leftAt.map { now - $0 > Self.longestAway } ?? false }
        guard let oldest = away.min(by: { ($0.value.leftAt ?? now) < ($1.value.leftAt ?? now) })?.key else {
            return false
        }
        phones.removeValue(forKey: oldest)?.source.close()
        return true
    }

    /// The name that a connection has, if it is its own.
    private func name(of link: PhoneLink) -> String? {
        link.offer.map(\.name).flatMap { phones[$0]?.link === link ? $0 : nil }
    }

    private func leave(_ link: PhoneLink, because cause: String) {
        guard let name = name(of: link) else { return }
        phones[name]?.link = nil
        phones[name]?.leftAt = MonotonicClock().now
        phones[name]?.source.leave(because: "network: \(cause)")
    }

    // MARK: What they are told

    /// Takes news of the recorder about a phone.
    func take(_ news: PhoneSource.News, of name: String) {
        switch news {
        case .taken: phones[name]?.problem = nil
        case .wantsKey: phones[name]?.link?.say(["type": "key"])
        case .problem(let text): phones[name]?.problem = text
        case .wish(let number, let values):
            phones[name]?.link?.say([
                "type": "set", "number": .integer(Int64(number)),
                "set": .object(values.mapValues { .integer($0) }),
            ])
        }
        if let link = phones[name]?.link { show(link, name) }
    }

    /// Takes what the recorder does, and who is on air.
    ///
    /// - Parameters:
    ///   - state: The recorder's state.
    ///   - cameras: Roles and tallies of the cameras, by the names of their devices.
    ///   - recording: Name of the session folder into which is recorded; `nil` for none.
    func take(_ state: String, _ cameras: [String: (role: String, tally: String)], recording: String?) {
        (self.state, self.cameras, self.recording) = (state, cameras, recording)
        for (name, phone) in phones { if let link = phone.link { show(link, name) } }
    }

    /// Takes the roles that pages show as next.
    func take(next roles: Set<String>) {
        guard roles != nextRoles else { return }
        nextRoles = roles
        for (name, phone) in phones { if let link = phone.link { show(link, name) } }
    }

    /// Asks for the phones' times, and ends the connections of those that are silent, or were refused and stay. Called some times a second.
    func follow(at now: ClockTime) {
        for link in links.values {
            link.ask(at: now)
            guard link.isSilent(at: now) else { continue }
            leave(link, because: "nothing has come for 3 s")
            link.cutOff()
        }
    }

    /// Tells each phone how far off its times may be, looks whether its frames still come, and ends connections of which nothing is read.
    /// Called every second or so.
    func look(at now: ClockTime) {
        for link in links.values {
            link.endIfStalled(at: now)
            if recording != nil { link.tellDate(at: now) }
        }
        for (name, phone) in phones {
            guard let link = phone.link else { continue }
            show(link, name)
            phone.source.look()
        }
    }

    private func show(_ link: PhoneLink, _ name: String) {
        guard let phone = phones[name] else { return }
        let camera = cameras[phone.offer.selector]
        var message: [String: JSONValue] = [
            "type": "state", "state": .string(state), "tally": .string(camera?.tally ?? "off"),
            "next": .boolean(camera.map { nextRoles.contains($0.role) && $0.tally == "off" } ?? false),
        ]
        if let role = camera?.role { message["role"] = .string(role) }
        if let recording { message["recording"] = .string(recording) }
        if let problem = phone.problem { message["text"] = .string(problem) }
        if let error = link.error(at: MonotonicClock().now) {
            message["error_us"] = .integer(error.count / 1000)
        }
        link.tell(state: message)
    }

    /// The link that makes a phone a camera, and the phones that are, as JSON; `nil` before it is known where is listened.
    var json: String? { invitation?.json(list) }

    var isEmpty: Bool { phones.isEmpty }

    private var list: [JSONValue] {
        phones.sorted { $0.key < $1.key }.map { name, phone in
            var fields: [String: JSONValue] = [
                "name": .string(name), "selector": .string(phone.offer.selector),
                "there": .boolean(phone.link != nil), "format": .string(phone.offer.format.description),
                "audio": .boolean(phone.offer.audio != nil),
            ]
            if let role = cameras[phone.offer.selector]?.role { fields["role"] = .string(role) }
            if let problem = phone.problem { fields["text"] = .string(problem) }
            if let error = phone.link?.error(at: MonotonicClock().now) {
                fields["error_us"] = .integer(error.count / 1000)
            }
            return .object(fields)
        }
    }
}
