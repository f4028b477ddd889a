internal import MulticamMedia
internal import MulticamQRCodes
internal import MulticamSessionFolder
internal import MulticamStudio

/// Registry of the phones that act as cameras: their names, the media they send, and the state that is sent to them.
/// Used only on the web loop's thread.
final class PhoneRegistry {
    /// A phone, identified by the name that its user chose. The entry survives a disconnect, so that the phone returns
    /// as the same camera.
    private struct Phone {
        let key: String
        let source: PhoneSource
        var offer: PhoneOffer
        var connection: PhoneConnection?
        /// Whether the phone's media is forwarded to the recorder.
        var isAdmitted = false
        /// The recording for which the phone is confirmed as a camera; `nil` before confirmation.
        var confirmedRecording: String?
        /// Whether the supervisor hasn't yet answered the phone's claim to a camera of the recording.
        var isClaimPending = false
        /// The reason why the recorder refuses the phone; `nil` if the recorder accepts it or isn't running.
        var problem: String?
        /// Time of the last disconnect.
        var disconnectedAt: ClockTime?
    }

    private let notify: @Sendable (String, PhoneSource.Notification) -> Void
    private let recorder: PhoneSource.RecorderAccess
    private var connections: [ObjectIdentifier: PhoneConnection] = [:]
    private var phones: [String: Phone] = [:]
    private var state = ""
    /// Roles and tallies of the cameras, by device name.
    private var cameras: [String: (role: String, tally: String)] = [:]
    private var isProgramPaused = false
    private var previewRoles: Set<String> = []
    /// Name of the session folder of the current recording; `nil` if nothing is being recorded.
    private var recording: String?
    private let uploads: PhoneUploads
    /// Whether a recorder exists but hasn't reported its state yet. A recording may be running.
    private var awaitsStatus: Bool
    /// Time when the recorder first became reachable.
    private var recorderConnectedAt: ClockTime?

    private static let maxConnections = 24
    private static let mostPhones = 16
    /// Time after which a reachable recorder without a status is considered to be starting. Such a recorder may be
    /// waiting for a phone. A recorder in a session reports its status ten times per second.
    private static let maxStatusDelay = Nanoseconds.seconds(1)
    /// Maximum time that a phone can be disconnected before it loses its name, if all slots are in use.
    private static let nameRetentionTime = Nanoseconds.seconds(600)

    /// - Parameters:
    ///   - recorder: Access to the recorder.
    ///   - uploads: Forwards the phones' local recordings.
    ///   - awaitsStatus: Whether a recorder already exists. If so, no phone is admitted until the recorder's
    ///     state is known.
    ///   - notify: Receives the recorder's notifications about a phone, by name, on any thread.
    init(
        _ recorder: PhoneSource.RecorderAccess, _ uploads: PhoneUploads, awaitsStatus: Bool = false,
        notify: @escaping @Sendable (String, PhoneSource.Notification) -> Void
    ) {
        (self.recorder, self.uploads, self.notify) = (recorder, uploads, notify)
        self.awaitsStatus = awaitsStatus
    }

    /// The link that phones open to become cameras; `nil` until the server's address is known.
    var invitation: PhoneInvitation?

    /// Ends the threads of all phones.
    func close() { for phone in phones.values { phone.source.close() } }

    // MARK: Connections

    /// Accepts a phone's WebSocket connection.
    func admit(_ socket: WebSocketConnection) {
        guard connections.count < Self.maxConnections else {
            return socket.close(
                1013, "The limit of \(Self.maxConnections) connected phones has been reached.")
        }
        let wire = PhoneConnection.Transport(
            send: { socket.send($0) }, close: { socket.close(1008, "refused") },
            disconnect: { socket.disconnect() }, endIfStalled: { socket.endIfStalled(at: $0) })
        let link = admit(wire)
        socket.textReceived = { [unowned self, unowned link] text in
            guard !link.isDisconnected else { return }
            handle(link.handle(text: text, at: MonotonicClock().now), from: link)
        }
        socket.bytesReceived = { [unowned self, unowned link] bytes in
            guard !link.isDisconnected else { return }
            handle(link.handle(bytes, at: MonotonicClock().now), from: link)
        }
        socket.closed = { [unowned self, unowned link] in
            disconnect(link, because: "the connection was closed")
            uploads.cancelRequests(of: link)
            connections[ObjectIdentifier(link)] = nil
        }
        link.queryClock(at: MonotonicClock().now)
    }

    /// Accepts a phone that is connected by any transport.
    func admit(_ wire: PhoneConnection.Transport) -> PhoneConnection {
        let link = PhoneConnection(wire, at: MonotonicClock().now)
        connections[ObjectIdentifier(link)] = link
        return link
    }

    /// Handles a message from a phone.
    func handle(_ news: PhoneConnection.Message?, from link: PhoneConnection) {
        switch news {
        case .none: break
        case .offer(let offer): register(offer, from: link)
        case .media(let media):
            if let name = name(of: link) { phones[name]?.source.enqueue(media) }
        case .controls(let report):
            if let name = name(of: link) { phones[name]?.source.enqueue(report) }
        case .fault(let text):
            let cause = "the phone reported an error: \(text)"
            if let name = name(of: link) { phones[name]?.problem = cause }
            disconnect(link, because: cause)
        case .localRecording(let question):
            if name(of: link) != nil, let phone = link.offer?.identity {
                uploads.send(question, of: phone, from: link)
            }
        case .piece(let question, let offset, let bytes):
            if name(of: link) != nil, let phone = link.offer?.identity {
                uploads.send(question, of: phone, from: link, at: offset, bytes)
            }
        case .protocolViolation(let sentence):
            disconnect(link, because: sentence)
            link.disconnect()
        }
    }

    private func register(_ offer: PhoneOffer, from link: PhoneConnection) {
        if let known = phones[offer.name] {
            guard known.key == offer.key else {
                return link.refuse(
                    "The name \(offer.name) is already used by another phone. Choose a different name.")
            }
            if let former = known.connection, former !== link { former.disconnect() }
        } else {
            guard makeRoom(at: MonotonicClock().now) else {
                return link.refuse("The limit of \(Self.mostPhones) phone cameras has been reached.")
            }
        }
        let (notify, name) = (notify, offer.name)
        let source =
            phones[name]?.source
            ?? PhoneSource(recorder) { notify(name, $0) }
        phones[name] = Phone(
            key: offer.key, source: source, offer: offer, connection: link,
            confirmedRecording: phones[name]?.confirmedRecording)
        admitIfPermitted(name)
    }

    /// Admits a phone if it may send media. While a recording is running, a camera name belongs to the phone
    /// key that used it first. Names can be chosen freely, and this process may have started after the
    /// recording, so the registry asks the supervisor.
    private func admitIfPermitted(_ name: String) {
        guard !awaitsStatus, let phone = phones[name], let link = phone.connection else { return }
        if let recording, cameras[phone.offer.selector] != nil, phone.confirmedRecording != recording {
            guard !phone.isClaimPending else { return }
            phones[name]?.isClaimPending = true
            return uploads.claim(phone.offer.identity, in: recording, for: link) {
                [unowned self, unowned link] in
                handleClaimResult(name, link, in: recording, $0)
            }
        }
        guard !phone.isAdmitted else { return }
        phones[name]?.isAdmitted = true
        phone.source.phoneConnected(phone.offer)
        link.admit()
        sendState(to: link, name)
    }

    private func handleClaimResult(
        _ name: String, _ link: PhoneConnection, in recording: String, _ result: SupervisorMessage.Result
    ) {
        guard phones[name]?.connection === link else { return }
        phones[name]?.isClaimPending = false
        switch result.status {
        case 200:
            phones[name]?.confirmedRecording = recording
            admitIfPermitted(name)
        case 403:
            // Keep the name available for the phone that owns it in this recording.
            phones.removeValue(forKey: name)?.source.close()
            link.refuse(result.output.printable(limit: 400))
        // The recording is just starting, or the supervisor is busy. `checkPhones` asks again.
        default: break
        }
    }

    private func makeRoom(at now: ClockTime) -> Bool {
        if phones.count < Self.mostPhones { return true }
        let away = phones.filter {
            $0.value.disconnectedAt.map { now - $0 > Self.nameRetentionTime } ?? false
        }
        guard
            let oldest = away.min(by: { ($0.value.disconnectedAt ?? now) < ($1.value.disconnectedAt ?? now) }
            )?.key
        else {
            return false
        }
        phones.removeValue(forKey: oldest)?.source.close()
        return true
    }

    /// The registered name of the phone at the other end of a connection; `nil` if another connection uses
    /// the name, or if no offer was received.
    private func name(of link: PhoneConnection) -> String? {
        link.offer.map(\.name).flatMap { phones[$0]?.connection === link ? $0 : nil }
    }

    private func disconnect(_ link: PhoneConnection, because cause: String) {
        guard let name = name(of: link) else { return }
        phones[name]?.connection = nil
        phones[name]?.disconnectedAt = MonotonicClock().now
        phones[name]?.source.phoneDisconnected(because: "network: \(cause)")
    }

    // MARK: Notifications

    /// Handles the recorder's notification about a phone.
    func handle(_ news: PhoneSource.Notification, of name: String) {
        switch news {
        case .accepted: phones[name]?.problem = nil
        case .needsKeyFrame: phones[name]?.connection?.send(["type": "key"])
        case .problem(let text): phones[name]?.problem = text
        case .controlsRequested(let number, let values):
            phones[name]?.connection?.send([
                "type": "set", "number": .integer(Int64(number)),
                "set": .object(values.mapValues { .integer($0) }),
            ])
        }
        if let link = phones[name]?.connection { sendState(to: link, name) }
    }

    /// Applies the recorder's state and the tallies.
    ///
    /// - Parameters:
    ///   - state: The recorder's state.
    ///   - cameras: Roles and tallies of the cameras, by device name.
    ///   - isProgramPaused: Whether the governor has paused the program.
    ///   - recording: Name of the session folder of the current recording; `nil` if nothing is being recorded.
    func update(
        state: String, cameras: [String: (role: String, tally: String)], isProgramPaused: Bool,
        recording: String?
    ) {
        (self.state, self.cameras, self.recording) = (state, cameras, recording)
        self.isProgramPaused = isProgramPaused
        awaitsStatus = false
        for (name, phone) in phones {
            admitIfPermitted(name)
            if let link = phone.connection { sendState(to: link, name) }
        }
    }

    /// Records when the recorder first became reachable.
    func recorderConnected(at now: ClockTime) { recorderConnectedAt = recorderConnectedAt ?? now }

    /// Applies the roles of the cameras that pages show in preview.
    func update(previewRoles roles: Set<String>) {
        guard roles != previewRoles else { return }
        previewRoles = roles
        for (name, phone) in phones { if let link = phone.connection { sendState(to: link, name) } }
    }

    /// Queries the phones' clocks, and closes connections that are silent or that stay open after a refusal.
    /// Call this function several times per second.
    func pollConnections(at now: ClockTime) {
        for link in connections.values {
            link.queryClock(at: now)
            guard link.isSilent(at: now) else { continue }
            disconnect(link, because: "no data received for 3 s")
            link.disconnect()
        }
    }

    /// Sends each phone its clock error, checks that its frames are still arriving, and closes the
    /// connections of phones that don't read. Call this function about once per second.
    func checkPhones(at now: ClockTime) {
        if let recorderConnectedAt, now - recorderConnectedAt > Self.maxStatusDelay { awaitsStatus = false }
        for link in connections.values {
            link.endIfStalled(at: now)
            if recording != nil { link.sendClockOffset(at: now) }
        }
        for (name, phone) in phones {
            guard let link = phone.connection else { continue }
            admitIfPermitted(name)
            sendState(to: link, name)
            phone.source.requestFrameCheck()
        }
    }

    private func sendState(to link: PhoneConnection, _ name: String) {
        guard let phone = phones[name] else { return }
        let camera = cameras[phone.offer.selector]
        var message: [String: JSONValue] = [
            "type": "state", "state": .string(state), "tally": .string(camera?.tally ?? "off"),
            "paused": .boolean(isProgramPaused),
            "next": .boolean(camera.map { previewRoles.contains($0.role) && $0.tally == "off" } ?? false),
        ]
        if let role = camera?.role { message["role"] = .string(role) }
        if let recording { message["recording"] = .string(recording) }
        if let problem = phone.problem { message["text"] = .string(problem) }
        if let error = link.error(at: MonotonicClock().now) {
            message["error_us"] = .integer(error.count / 1000)
        }
        link.send(state: message)
    }

    /// Describes the link for phones and the phones that act as cameras.
    ///
    /// - Parameter name: The name that the phone suggests to its user; `nil` for the phone's last name.
    /// - Returns: A JSON object; `nil` until the server's address is known.
    func json(inviting name: String? = nil) -> String? { invitation?.named(name).json(list) }

    private var list: [JSONValue] {
        phones.sorted { $0.key < $1.key }.map { name, phone in
            var fields: [String: JSONValue] = [
                "name": .string(name), "selector": .string(phone.offer.selector),
                "there": .boolean(phone.connection != nil), "format": .string(phone.offer.format.description),
                "audio": .boolean(phone.offer.audio != nil),
            ]
            if let role = cameras[phone.offer.selector]?.role { fields["role"] = .string(role) }
            if let problem = phone.problem { fields["text"] = .string(problem) }
            if let error = phone.connection?.error(at: MonotonicClock().now) {
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

    /// Returns the link with the name that the phone suggests to its user. An invalid name is ignored, so that every
    /// returned link is usable.
    func named(_ name: String?) -> Self {
        guard let name, PhoneSelector.selector(of: name) != nil else { return self }
        return Self(address: "\(address)&name=\(name)", isReachable: isReachable)
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
