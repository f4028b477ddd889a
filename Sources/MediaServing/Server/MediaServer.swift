public import Control
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Inputs
internal import Media
internal import MediaLink
public import Session
public import SessionFolder

/// The media socket of this process: other processes of the same user see and hear its session, and send it cameras and
/// microphones. Safe to call from any thread.
///
/// Each connection has threads of its own. A peer that stops reading loses its own messages, one that sends rubbish its device or
/// its connection; no recording waits for either.
public final class MediaServer: Sendable {
    struct State {
        var session: MulticamSession?
        /// What to tell of the session; `nil` where the session itself is asked.
        var status: StatusSource?
        var peers: [ObjectIdentifier: MediaPeer] = [:]
        /// The peers that see or hear something.
        var watching: Set<ObjectIdentifier> = []
        var isClosed = false
    }

    /// Says how it goes; `nil` while there is nothing to say.
    public typealias StatusSource = @Sendable () -> ControlStatus?

    /// The devices that other processes send.
    public let devices: RemoteDevices
    /// Path of the socket.
    public let path: String
    private let listener: LocalSocket
    private let wakeUp: WakeUp
    private let state = ConditionLock(State())
    private let thread = ConditionLock<MediaThread?>(nil)
    private let history = EventHistory()

    /// Most connections at once.
    private static let mostPeers = 80
    /// Most of them that see or hear something. The others are kept for those that send a device.
    private static let mostWatching = 32

    /// Opens the socket beside this process's control socket.
    ///
    /// - Parameter devices: Takes what other processes send.
    /// - Throws: `ControlError.system` when the socket cannot be made.
    public convenience init(devices: RemoteDevices = RemoteDevices()) throws(ControlError) {
        let folder = ControlFolder(environment: ProcessInfo.processInfo.environment)
        try folder.make()
        try self.init(at: folder.mediaPath(of: getpid()), devices: devices)
    }

    package init(at path: String, devices: RemoteDevices) throws(ControlError) {
        self.path = path
        self.devices = devices
        unlink(path)
        listener = try LocalSocket()
        try listener.listen(at: path)
        do throws(DeviceError) {
            wakeUp = try WakeUp(for: path)
        } catch {
            throw .system("the media socket cannot be made: \(error).")
        }
        let thread = MediaThread(name: "media") { [weak self, listener, wakeUp] in
            while Self.waits(for: listener, wakeUp) {
                guard let self, !self.state.withLock(\.isClosed) else { return }
                self.accept()
            }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Lets subscriptions have a session from now on, in any phase; those of before get it, too.
    ///
    /// - Parameter session: The session, or `nil` when there is none for now.
    public func serve(_ session: MulticamSession?) {
        let (before, peers) = state.withLock { state in
            defer { state.session = session }
            return (state.session, Array(state.peers.values))
        }
        for peer in peers { peer.change(from: before, to: session) }
    }

    /// Sets what subscriptions of the status are told from now on, ten times a second each: what `multicam ctl status` tells. Without
    /// it they are told what the session knows of itself.
    ///
    /// - Parameter source: Called on a thread of each subscription.
    public func tellStatus(of source: @escaping StatusSource) { state.withLock { $0.status = source } }

    private var status: ControlStatus? {
        let (session, source) = state.withLock { ($0.session, $0.status) }
        if let source { return source() }
        return session.map { session in
            let status = session.status
            let isRecorded = status.phase == .recording || status.phase == .finishing
            return ControlStatus(
                status, plan: session.currentPlan, folder: isRecorded ? session.folderPath : nil,
                cost: session.hardwareCost)
        }
    }

    /// Number of processes that are connected now.
    public var connectionCount: Int { state.withLock { $0.peers.count } }

    /// Number of subscriptions of all connections.
    public var subscriptionCount: Int {
        state.withLock { Array($0.peers.values) }.reduce(0) { $0 + $1.subscriptionCount }
    }

    /// Sends an event to the subscriptions of events. Never blocks.
    public func tell(_ event: SessionEvent) {
        let (line, number) = history.note(event)
        for peer in state.withLock({ Array($0.peers.values) }) { peer.tell(event: line, number) }
    }

    /// Closes the socket and all connections.
    public func stop() {
        unlink(path)
        let peers = state.withLock { state in
            state.isClosed = true
            return Array(state.peers.values)
        }
        for peer in peers { peer.close() }
        wakeUp.wake()
        thread.withLock { $0.take() }?.join()
        state.wait { $0.peers.isEmpty ? () : nil }
    }

    // MARK: Connections

    /// Sleeps until somebody connects, or the server is to look.
    private static func waits(for listener: LocalSocket, _ wakeUp: WakeUp) -> Bool {
        var polls = [
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polls, 2, -1) < 0 { guard errno == EINTR else { return false } }
        return true
    }

    private func accept() {
        switch listener.accept() {
        case .connected(let socket): admit(MediaConnection(socket), user: socket.peerUser)
        case .nobody: break
        // Out of descriptors: they come back when somebody leaves.
        case .refused: _ = wakeUp.sleep(for: .milliseconds(100))
        }
    }

    private func admit(_ connection: MediaConnection, user: UInt32?) {
        guard user == geteuid() else {
            var header = MediaHeader("error")
            header.text = "this session belongs to another user."
            _ = connection.send(header)
            return connection.close()
        }
        let peer = MediaPeer(connection, devices: devices, history: history) { [weak self] in self?.status }
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.peers.count < Self.mostPeers else { return false }
            state.peers[ObjectIdentifier(peer)] = peer
            // In the same turn, so that a session that comes later is the one that it keeps.
            peer.meet(state.session)
            return true
        }
        guard isAdmitted else {
            var header = MediaHeader("error")
            header.text = "\(Self.mostPeers) processes are connected already, which is the most."
            _ = connection.send(header)
            return connection.close()
        }
        let place = ObjectIdentifier(peer)
        peer.start(refusal: { [weak self] in self?.refusal(ofWatching: place) }) { [weak self] in
            self?.state.broadcast { state in
                state.peers[place] = nil
                state.watching.remove(place)
            }
        }
    }

    /// Gives a peer one of the places of those that see or hear something, unless it has one.
    ///
    /// - Returns: A sentence when there is none; else `nil`.
    private func refusal(ofWatching place: ObjectIdentifier) -> String? {
        state.withLock { state in
            guard state.watching.contains(place) || state.watching.count < Self.mostWatching else {
                return "\(Self.mostWatching) processes see and hear this session already, which is the most."
            }
            state.watching.insert(place)
            return nil
        }
    }
}
