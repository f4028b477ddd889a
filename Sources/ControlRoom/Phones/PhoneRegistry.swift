internal import Media
internal import QRCodes
internal import SessionFolder
internal import Studio

/// Registry of the phones that act as cameras: their names, the media they send, and the state that is sent to them.
/// Used only on the web loop's thread.
final class PhoneRegistry {
    /// A phone, identified by the name that its user chose. The entry survives a disconnect, so that the phone returns
    /// as the same camera.
    private struct Phone {
        let key: String
        let source: PhoneSource
        var offer: PhoneOffer
        var link: PhoneLink?
        /// Whether the phone's media is forwarded to the recorder.
        var isAdmitted = false
        /// The recording for which the phone is confirmed as a camera; `nil` before confirmation.
        var confirmed: String?
        /// Whether the supervisor hasn't yet answered the phone's claim to a camera of the recording.
        var isAsking = false
        /// The reason why the recorder refuses the phone; `nil` if the recorder accepts it or isn't running.
        var problem: String?
        /// Time of the last disconnect.
        var leftAt: ClockTime?
    }

    private let tell: @Sendable (String, PhoneSource.News) -> Void
    private let recorder: PhoneSource.Recorder
    private var links: [ObjectIdentifier: PhoneLink] = [:]
    private var phones: [String: Phone] = [:]
    private var state = ""
    /// Roles and tallies of the cameras, by device name.
    private var cameras: [String: (role: String, tally: String)] = [:]
    private var nextRoles: Set<String> = []
    /// Name of the session folder of the current recording; `nil` if nothing is being recorded.
    private var recording: String?
    private let uploads: PhoneUploads
    /// Whether a recorder exists but hasn't reported its state yet. A recording may be running.
    private var awaitsStatus: Bool
    /// Time when the recorder first became reachable.
    private var cameAt: ClockTime?

    private static let mostLinks = 24
    private static let mostPhones = 16
    /// Time after which a reachable recorder without a status is considered to be starting. Such a recorder may be
    /// waiting for a phone. A recorder in a session reports its status ten times per second.
    private static let longestUntold = Nanoseconds.seconds(1)
    /// Maximum time that a phone can be disconnected before it loses its name, if all slots are in use.
    private static let longestAway = Nanoseconds.seconds(600)

    /// - Parameters:
    ///   - recorder: Access to the recorder.
    ///   - uploads: Forwards the phones' local recordings.
    ///   - awaitsStatus: Whether a recorder already exists. If so, no phone is admitted until the recorder's
    ///     state is known.
    ///   - tell: Receives the recorder's notifications about a phone, by name, on any thread.
    init(
        _ recorder: PhoneSource.Recorder, _ uploads: PhoneUploads, awaitsStatus: Bool = false,
        tell: @escaping @Sendable (String, PhoneSource.News) -> Void
    ) {
        (self.recorder, self.uploads, self.tell) = (recorder, uploads, tell)
        self.awaitsStatus = awaitsStatus
    }

    /// The link that phones open to become cameras; `nil` until the server's address is known.
    var invitation: PhoneInvitation?

    /// Ends the threads of all phones.
    func close() { for phone in phones.values { phone.source.close() } }

    // MARK: Connections

    /// Accepts a phone's WebSocket connection.
    func admit(_ socket: WebSocketLink) {
        guard links.count < Self.mostLinks else {
            return socket.close(1013, "The limit of \(Self.mostLinks) connected phones has been reached.")
        }
        let wire = PhoneLink.Wire(
            send: { socket.send($0) }, close: { socket.close(1008, "refused") },
            disconnect: { socket.disconnect() }, endIfStalled: { socket.endIfStalled(at: $0) })
        let link = admit(wire)
        socket.received = { [unowned self, unowned link] text in
            guard !link.isCutOff else { return }
            take(link.take(text: text, at: MonotonicClock().now), from: link)
        }
        socket.receivedBytes = { [unowned self, unowned link] bytes in
            guard !link.isCutOff else { return }
            take(link.take(bytes, at: MonotonicClock().now), from: link)
        }
        socket.closed = { [unowned self, unowned link] in
            leave(link, because: "the connection was closed")
            uploads.forget(link)
            links[ObjectIdentifier(link)] = nil
        }
        link.ask(at: MonotonicClock().now)
    }

    /// Accepts a phone that is connected by any transport.
    func admit(_ wire: PhoneLink.Wire) -> PhoneLink {
        let link = PhoneLink(wire, at: MonotonicClock().now)
        links[ObjectIdentifier(link)] = link
        return link
    }

    /// Handles a message from a phone.
    func take(_ news: PhoneLink.News?, from link: PhoneLink) {
        switch news {
        case .none: break
        case .offer(let offer): take(offer, from: link)
        case .media(let media):
            if let name = name(of: link) { phones[name]?.source.take(media) }
        case .controls(let told):
            if let name = name(of: link) { phones[name]?.source.take(told) }
        case .fault(let text):
            let cause = "the phone reported an error: \(text)"
            if let name = name(of: link) { phones[name]?.problem = cause }
            leave(link, because: cause)
        case .kept(let question):
            if name(of: link) != nil, let phone = link.offer?.identity {
                uploads.send(question, of: phone, from: link)
            }
        case .piece(let question, let offset, let bytes):
            if name(of: link) != nil, let phone = link.offer?.identity {
                uploads.send(question, of: phone, from: link, at: offset, bytes)
            }
        case .nonsense(let sentence):
            leave(link, because: sentence)
            link.cutOff()
        }
    }

    private func take(_ offer: PhoneOffer, from link: PhoneLink) {
        if let known = phones[offer.name] {
            guard known.key == offer.key else {
                return link.refuse(
                    "The name \(offer.name) is already used by another phone. Choose a different name.")
            }
            if let former = known.link, former !== link { former.cutOff() }
        } else {
            guard makeRoom(at: MonotonicClock().now) else {
                return link.refuse("The limit of \(Self.mostPhones) phone cameras has been reached.")
            }
        }
        let (tell, name) = (tell, offer.name)
        let source =
            phones[name]?.source
            ?? PhoneSource(recorder) { tell(name, $0) }
        phones[name] = Phone(
            key: offer.key, source: source, offer: offer, link: link, confirmed: phones[name]?.confirmed)
        confirm(name)
    }

    /// Admits a phone if it may send media. While a recording is running, a camera name belongs to the phone
    /// key that used it first. Names can be chosen freely, and this process may have started after the
    /// recording, so the registry asks the supervisor.
    private func confirm(_ name: String) {
        guard !awaitsStatus, let phone = phones[name], let link = phone.link else { return }
        if let recording, cameras[phone.offer.selector] != nil, phone.confirmed != recording {
            guard !phone.isAsking else { return }
            phones[name]?.isAsking = true
            return uploads.claim(phone.offer.identity, in: recording, for: link) {
                [unowned self, unowned link] in
                confirmed(name, link, in: recording, $0)
            }
        }
        guard !phone.isAdmitted else { return }
        phones[name]?.isAdmitted = true
        phone.source.begin(phone.offer)
        link.admit()
        show(link, name)
    }

    private func confirmed(
        _ name: String, _ link: PhoneLink, in recording: String, _ result: SupervisorLine.Result
    ) {
        guard phones[name]?.link === link else { return }
        phones[name]?.isAsking = false
        switch result.status {
        case 200:
            phones[name]?.confirmed = recording
            confirm(name)
        case 403:
            // Keep the name available for the phone that owns it in this recording.
            phones.removeValue(forKey: name)?.source.close()
            link.refuse(result.output.printable(limit: 400))
        // The recording is just starting, or the supervisor is busy. `look` asks again.
        default: break
        }
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

    /// The registered name of the phone at the other end of a connection; `nil` if another connection uses
    /// the name, or if no offer was received.
    private func name(of link: PhoneLink) -> String? {
        link.offer.map(\.name).flatMap { phones[$0]?.link === link ? $0 : nil }
    }

    private func leave(_ link: PhoneLink, because cause: String) {
        guard let name = name(of: link) else { return }
        phones[name]?.link = nil
        phones[name]?.leftAt = MonotonicClock().now
        phones[name]?.source.leave(because: "network: \(cause)")
    }

    // MARK: Notifications

    /// Handles the recorder's notification about a phone.
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

    /// Applies the recorder's state and the tallies.
    ///
    /// - Parameters:
    ///   - state: The recorder's state.
    ///   - cameras: Roles and tallies of the cameras, by device name.
    ///   - recording: Name of the session folder of the current recording; `nil` if nothing is being recorded.
    func take(_ state: String, _ cameras: [String: (role: String, tally: String)], recording: String?) {
        (self.state, self.cameras, self.recording) = (state, cameras, recording)
        awaitsStatus = false
        for (name, phone) in phones {
            confirm(name)
            if let link = phone.link { show(link, name) }
        }
    }

    /// Records when the recorder first became reachable.
    func recorderCame(at now: ClockTime) { cameAt = cameAt ?? now }

    /// Applies the roles of the cameras that pages show in preview.
    func take(next roles: Set<String>) {
        guard roles != nextRoles else { return }
        nextRoles = roles
        for (name, phone) in phones { if let link = phone.link { show(link, name) } }
    }

    /// Queries the phones' clocks, and closes connections that are silent or that stay open after a refusal.
    /// Call this function several times per second.
    func follow(at now: ClockTime) {
        for link in links.values {
            link.ask(at: now)
            guard link.isSilent(at: now) else { continue }
            leave(link, because: "no data received for 3 s")
            link.cutOff()
        }
    }

    /// Sends each phone its clock error, checks that its frames are still arriving, and closes the
    /// connections of phones that don't read. Call this function about once per second.
    func look(at now: ClockTime) {
        if let cameAt, now - cameAt > Self.longestUntold { awaitsStatus = false }
        for link in links.values {
            link.endIfStalled(at: now)
            if recording != nil { link.tellDate(at: now) }
        }
        for (name, phone) in phones {
            guard let link = phone.link else { continue }
            confirm(name)
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

    /// The link for phones and the list of phones that act as cameras, as JSON; `nil` until the server's address is
    /// known.
    var json: String? { invitation?.json(list) }

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

/// The link that phones open to become cameras, as shown on the control room's page.
struct PhoneInvitation {
    /// Address of the phone page, including the token. The token grants only the right to be a camera.
    let address: String
    /// Whether other devices can reach the address. Otherwise, the address works only in a browser on this computer.
    let isReachable: Bool
    /// The address as a QR code, row by row; 1 is dark.
    private let code: JSONValue

    init(address: String, isReachable: Bool) {
        (self.address, self.isReachable) = (address, isReachable)
        code = .array(
            QRCode.modules(address).map { row in
                .string(String(row.map { isBlack -> Character in isBlack ? "1" : "0" }))
            })
    }

    /// Returns the link as a QR code and the list of phones, as JSON.
    ///
    /// - Parameter phones: The phones.
    /// - Returns: A JSON object.
    func json(_ phones: [JSONValue]) -> String {
        WebJSON.text([
            "url": JSONValue.string(address), "reachable": .boolean(isReachable), "code": code,
            "phones": .array(phones),
        ])
    }
}
