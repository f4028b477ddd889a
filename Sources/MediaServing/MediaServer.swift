internal import FoundationEssentials
internal import Glibc
package import MulticamControl
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink
package import MulticamSession
package import MulticamSessionFolder
internal import MulticamSystem

/// The media socket of this process. Other processes of the same user can receive the session's video and
/// audio, and can send the media of cameras and microphones to the session. Thread-safe.
///
/// Each connection has separate threads. If a peer stops reading, its messages are dropped. If a peer sends
/// invalid data, its device is removed or its connection is closed. Neither kind of peer can delay a
/// recording.
package final class MediaServer: Sendable {
    struct State {
        var session: MulticamSession?
        /// Source of the status; `nil` to use the session's own status.
        var status: StatusSource?
        var peers: [ObjectIdentifier: MediaPeer] = [:]
        /// Peers that have subscriptions.
        var subscribers: Set<ObjectIdentifier> = []
        var isClosed = false
    }

    /// Returns the current status, or `nil` if it isn't available.
    package typealias StatusSource = @Sendable () -> ControlStatus?

    /// Devices whose media other processes send.
    package let devices: RemoteDevices
    /// Path of the socket.
    package let path: String
    private let listener: LocalSocket
    private let wakeUp: WakeUp
    private let state = ConditionLock(State())
    private let thread = ConditionLock<MediaThread?>(nil)
    private let history = EventHistory()

    /// Maximum number of connections.
    private static let mostPeers = 80
    /// Maximum number of connections with subscriptions. The other connections are reserved for processes
    /// that send the media of a device.
    private static let maxSubscribers = 32

    /// Opens the socket next to this process's control socket.
    ///
    /// - Parameter devices: Registers the devices whose media other processes send.
    /// - Throws: `ControlError.system` if the socket can't be created.
    package convenience init(devices: RemoteDevices = RemoteDevices()) throws(ControlError) {
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
            throw .system("the media socket cannot be created: \(error)")
        }
        do throws(ThreadError) {
            let thread = try MediaThread(name: "media") { [weak self, listener, wakeUp] in
                while Self.waitUntilReadable(listener, wakeUp) {
                    guard let self, !self.state.withLock(\.isClosed) else { return }
                    self.accept()
                }
            }
            self.thread.withLock { $0 = thread }
        } catch {
            throw .system("the media server cannot be started: \(error)")
        }
    }

    /// Starts serving a session in any state. Existing subscriptions are moved to this session.
    ///
    /// - Parameter session: The session; `nil` while no session exists.
    package func serve(_ session: MulticamSession?) {
        let (before, peers) = state.withLock { state in
            defer { state.session = session }
            return (state.session, Array(state.peers.values))
        }
        for peer in peers { peer.change(from: before, to: session) }
    }

    /// Sets the source of the status, as printed by `multicam ctl status`. Subscribers receive the status ten times per
    /// second. Without a source, subscribers receive the session's own status.
    ///
    /// - Parameter source: Returns the status. This closure is called on a thread of each subscription.
    package func setStatusSource(_ source: @escaping StatusSource) { state.withLock { $0.status = source } }

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

    /// Number of connected processes.
    package var connectionCount: Int { state.withLock { $0.peers.count } }

    /// Number of subscriptions on all connections.
    package var subscriptionCount: Int {
        state.withLock { Array($0.peers.values) }.reduce(0) { $0 + $1.subscriptionCount }
    }

    /// Sends an event to all event subscriptions. Never blocks.
    package func publish(_ event: SessionEvent) {
        let (line, number) = history.record(event)
        for peer in state.withLock({ Array($0.peers.values) }) { peer.send(event: line, number) }
    }

    /// Closes the socket and all connections.
    package func stop() {
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

    /// Waits until a process connects or the wake-up is triggered.
    private static func waitUntilReadable(_ listener: LocalSocket, _ wakeUp: WakeUp) -> Bool {
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
        case .noConnection: break
        // No file descriptors are available. Descriptors become available when a peer disconnects.
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
            // The session is set under the same lock, so that the peer doesn't miss a later session.
            peer.setSession(state.session)
            return true
        }
        guard isAdmitted else {
            var header = MediaHeader("error")
            header.text = "the limit of \(Self.mostPeers) connected processes has been reached."
            _ = connection.send(header)
            return connection.close()
        }
        let place = ObjectIdentifier(peer)
        peer.start(refusal: { [weak self] in self?.refusal(ofSubscriber: place) }) { [weak self] in
            self?.state.broadcast { state in
                state.peers[place] = nil
                state.subscribers.remove(place)
            }
        }
    }

    /// Reserves one of the subscriber slots, unless the peer already has one.
    ///
    /// - Returns: An error message if all slots are taken; `nil` on success.
    private func refusal(ofSubscriber place: ObjectIdentifier) -> String? {
        state.withLock { state in
            guard state.subscribers.contains(place) || state.subscribers.count < Self.maxSubscribers else {
                return "the limit of \(Self.maxSubscribers) processes that receive media has been reached."
            }
            state.subscribers.insert(place)
            return nil
        }
    }
}

/// The latest events of the current recording, for processes that connect while it is running. Thread-safe.
final class EventHistory: Sendable {
    private struct State {
        var lines: [String] = []
        /// Total number of events, including those of earlier recordings.
        var count = 0
    }

    private let state = ConditionLock(State())

    /// Maximum number of stored events.
    private static let maxLines = 500

    /// Records an event. When a recording starts, the events of the previous recording are dropped.
    ///
    /// - Returns: The event as a line of text, and the event's sequence number.
    func record(_ event: SessionEvent) -> (line: String, number: Int) {
        let line = event.line()
        return state.withLock { state in
            switch event.name {
            case .started: state.lines = [line]
            case .finished, .standby: state.lines = []
            default: state.lines.append(line)
            }
            if state.lines.count > Self.maxLines {
                state.lines.removeFirst(state.lines.count - Self.maxLines)
            }
            state.count += 1
            return (line, state.count)
        }
    }

    /// Returns the past events of the current recording, oldest first, and the sequence number of the last
    /// event. The number is 0 if the list is empty.
    func snapshot() -> (lines: [String], number: Int) {
        state.withLock { ($0.lines, $0.lines.isEmpty ? 0 : $0.count) }
    }
}
