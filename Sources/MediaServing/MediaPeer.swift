internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamPlan
internal import MulticamSession
internal import MulticamSessionFolder

/// A process connected to the media socket, with its subscriptions and the devices whose media it sends.
final class MediaPeer: Sendable {
    private enum Device: Sendable {
        case camera(RemoteCamera)
        case microphone(RemoteMicrophone)
    }

    private struct State {
        var session: MulticamSession?
        var subscriptions: [Int: MediaSubscription] = [:]
        /// Ended subscriptions whose threads are still waiting for the process to read.
        var endedSubscriptions: [MediaSubscription] = []
        var devices: [Int: Device] = [:]
        /// IDs of devices that were refused or that sent invalid data. Further data from these devices is ignored.
        var rejectedDevices: Set<Int> = []
    }

    /// Identifies this connection among all connections of the process.
    private let number = MediaPeer.lastNumber.withLock { number in
        number += 1
        return number
    }
    private static let lastNumber = ConditionLock(0)
    private let connection: MediaConnection
    private let registry: RemoteDevices
    private let status: MediaServer.StatusSource
    private let history: EventHistory
    private let state = ConditionLock(State())
    /// Lock that is held while subscriptions are attached to or detached from a session, because the process's requests
    /// and new sessions arrive on different threads.
    private let attachmentLock = ConditionLock(())
    /// Refusals and control requests waiting to be sent to the process. A separate thread sends these
    /// messages, because a process that isn't reading must not block other threads.
    private let outgoingMessages = BoundedQueue<String>(capacity: 64)

    /// Maximum number of subscriptions per connection, including ended subscriptions with unread data. The
    /// same limit applies to the number of devices.
    private static let maxIDs = 64
    /// Maximum number of threads per subscription that may wait until a process reads data from earlier
    /// sessions.
    private static let maxWaitingThreads = 4

    /// Creates a peer for a new connection.
    ///
    /// - Parameters:
    ///   - connection: The connection to the process.
    ///   - devices: Registers the devices whose media the process sends.
    ///   - history: The recording's past events.
    ///   - status: Returns the status of the session.
    init(
        _ connection: MediaConnection, devices: RemoteDevices, history: EventHistory,
        status: @escaping MediaServer.StatusSource
    ) {
        self.connection = connection
        self.history = history
        self.status = status
        registry = devices
    }

    /// Sets the current session, or `nil` if no session exists. Call this method before `start`.
    func setSession(_ session: MulticamSession?) { state.withLock { $0.session = session } }

    /// Sends the greeting, and handles the process's messages until it disconnects.
    ///
    /// - Parameters:
    ///   - refusal: Called for each subscription request. Returns the reason why no more processes may
    ///     subscribe; `nil` if this process may subscribe.
    ///   - ended: Called after the process has disconnected and its subscriptions and devices have been
    ///     removed.
    func start(
        refusal: @escaping @Sendable () -> String?, ended: @escaping @Sendable () -> Void
    ) {
        do throws(ThreadError) {
            _ = try MediaThread(name: "media:peer") { [self] in serve(refusal, ended) }
        } catch {
            // The process detects that the connection is closed, and tries to connect again.
            connection.close()
            ended()
        }
    }

    private func serve(
        _ refusal: @escaping @Sendable () -> String?, _ ended: @escaping @Sendable () -> Void
    ) {
        let sender = MediaThread.startWhenPossible(name: "media:refuse") { [connection, outgoingMessages] in
            while let line = outgoingMessages.dequeue(), connection.send(line) {}
        }
        if connection.send(MediaHeader("hello")) { receiveMessages(refusal) }
        outgoingMessages.finish()
        sender.join()
        connection.close()
        disconnectAll()
        ended()
    }

    func close() { connection.close() }

    var subscriptionCount: Int { state.withLock { $0.subscriptions.count } }

    // MARK: Sessions and events

    /// Moves the subscriptions to another session.
    func change(from before: MulticamSession?, to session: MulticamSession?) {
        attachmentLock.withLock { _ in
            let subscriptions = state.withLock { state in
                state.session = session
                return Array(state.subscriptions.values)
            }
            for subscription in subscriptions {
                subscription.detach(from: before)
                guard subscription.sendingCount < Self.maxWaitingThreads else {
                    unsubscribe(subscription.id)
                    sendError(
                        subscription.id,
                        "the subscription ended, because unread data from several previous sessions had accumulated."
                    )
                    continue
                }
                attach(subscription, to: session)
            }
        }
    }

    func send(event line: String, _ number: Int) {
        for subscription in state.withLock({ Array($0.subscriptions.values) }) {
            subscription.send(event: line, number)
        }
    }

    private func attach(_ subscription: MediaSubscription, to session: MulticamSession?) {
        do throws(SessionChangeError) {
            try subscription.attach(to: session)
        } catch {
            sendError(subscription.id, error.description)
        }
    }

    // MARK: Messages from the process

    private func receiveMessages(_ refusal: () -> String?) {
        while true {
            do throws(MediaLinkError) {
                guard let message = try connection.receive() else { return }
                let header = try MediaConnection.header(of: message)
                if header.type == "want", let sentence = refusal() { return sendError(header.id, sentence) }
                do throws(MediaLinkError) {
                    try handle(header, message.bytes)
                } catch {
                    refuse(header, error.description)
                }
            } catch {
                // After a protocol violation, all further input is ignored.
                return sendError(nil, error.description)
            }
        }
    }

    private func handle(_ header: MediaHeader, _ bytes: SharedBytes) throws(MediaLinkError) {
        guard let id = header.id, (0...Int(Int32.max)).contains(id) else {
            throw MediaLinkError(
                "`id` is missing or invalid: expected a non-negative integer chosen by the sender.")
        }
        switch header.type {
        case "want": try subscribe(header, id)
        case "unwant": attachmentLock.withLock { _ in unsubscribe(id) }
        case "camera", "microphone": try announce(header, id)
        case "frame", "audio": try receiveMedia(header, id, bytes)
        case "metadata": try receiveMetadata(header, id)
        case "remark", "controls": try handleCameraMessage(header, id)
        case "gone":
            let device = state.withLock { $0.devices.removeValue(forKey: id) }
            if let device { disconnect(device, cause: header.text.map { $0.printable(limit: 400) }) }
        default:
            throw MediaLinkError(
                "invalid `type` “\(header.type.printable(limit: 40))”: expected `want`, `unwant`, `camera`, `microphone`, `frame`, `audio`, `metadata`, `remark`, `controls`, or `gone`."
            )
        }
    }

    private func sendError(_ id: Int?, _ text: String) {
        var header = MediaHeader("error", id: id)
        header.text = text.printable(limit: 1000)
        // If the queue is full, the message is dropped, because the process isn't reading its messages
        // anyway.
        _ = outgoingMessages.tryEnqueue(JSONText.line(header))
    }

    // MARK: Requests

    private func subscribe(_ header: MediaHeader, _ id: Int) throws(MediaLinkError) {
        let requested = try RequestedMedia(header)
        let known = state.withLock { $0.subscriptions[id] }
        if known?.change(to: requested) == true { return }
        let (count, waiting) = state.withLock { state in
            state.endedSubscriptions.removeAll { $0.sendingCount == 0 }
            return (state.subscriptions.count, state.endedSubscriptions.count)
        }
        guard count + waiting < Self.maxIDs else {
            throw MediaLinkError(
                waiting == 0
                    ? "the limit of \(Self.maxIDs) subscriptions per connection has been reached."
                    : "the limit of subscriptions per connection has been reached: \(count) are active, and \(waiting) have ended with unread data. "
                        + "Read the remaining data first.")
        }
        attachmentLock.withLock { _ in
            unsubscribe(id)
            let subscription = MediaSubscription(id, requested, connection, status: status)
            let session = state.withLock { state in
                state.subscriptions[id] = subscription
                return state.session
            }
            subscription.begin(with: history)
            attach(subscription, to: session)
        }
    }

    /// Ends a subscription. The caller must hold the lock `attachmentLock`.
    private func unsubscribe(_ id: Int) {
        let (subscription, session) = state.withLock {
            ($0.subscriptions.removeValue(forKey: id), $0.session)
        }
        guard let subscription else { return }
        subscription.end()
        subscription.detach(from: session)
        if subscription.sendingCount > 0 { state.withLock { $0.endedSubscriptions.append(subscription) } }
    }

    // MARK: Devices

    private func announce(_ header: MediaHeader, _ id: Int) throws(MediaLinkError) {
        guard state.withLock({ $0.devices[id] == nil && $0.devices.count < Self.maxIDs }) else {
            throw MediaLinkError(
                "device \(id) has already been announced, or the limit of \(Self.maxIDs) devices has been reached."
            )
        }
        guard let name = header.name, !name.isEmpty, name.utf8.count <= 64, name == name.printable() else {
            throw MediaLinkError("a device needs a `name` of at most 64 bytes without control characters.")
        }
        let delay = Nanoseconds(min(max(header.delay_ns ?? 100_000_000, 0), 2_000_000_000))
        let device: Device
        if header.type == "camera" {
            guard let pixel = header.pixel.flatMap(PixelFormat.init(rawValue:)), pixel != .converted,
                let size = header.size, size.isPlausible,
                let rate = header.rate.flatMap({ FrameRate($0) }), rate.perSecond >= 1, rate.perSecond <= 1000
            else {
                throw MediaLinkError(
                    "a camera needs `pixel` (mjpeg, h264, yuyv, uyvy, nv12, i420, i422, bgra, or grey), `width`, `height`, and `rate` (\"30\" or \"30000/1001\")."
                )
            }
            let usual = ColorDescription.bt601Limited
            let color =
                pixel == .mjpeg
                ? .jpeg
                : ColorDescription(matrix: header.matrix ?? usual.matrix, range: header.range ?? usual.range)
            let format = VideoFormat(pixel: pixel, size: size, rate: rate)
            let camera = try registry.announce(
                cameraNamed: name, format, color, delay: delay, dated: header.clock ?? .mapped)
            camera.setControlRequestHandler { [outgoingMessages] number, set in
                var header = MediaHeader("set", id: id)
                (header.number, header.set) = (number, set)
                _ = outgoingMessages.tryEnqueue(JSONText.line(header))
            }
            device = .camera(camera)
        } else {
            guard let rate = header.sample_rate, (8_000...192_000).contains(rate),
                let channels = header.channels, (1...8).contains(channels)
            else {
                throw MediaLinkError(
                    "a microphone needs `sample_rate` (8000 to 192000) and `channels` (1 to 8).")
            }
            device = .microphone(
                try registry.announce(
                    microphoneNamed: name, AudioFormat(rate: rate, channels: channels), delay: delay,
                    dated: header.clock ?? .mapped))
        }
        state.withLock { state in
            state.devices[id] = device
            state.rejectedDevices.remove(id)
        }
    }

    private func receiveMedia(_ header: MediaHeader, _ id: Int, _ bytes: SharedBytes) throws(MediaLinkError) {
        let (device, isSilenced) = state.withLock { ($0.devices[id], $0.rejectedDevices.contains(id)) }
        guard let device else {
            if isSilenced { return }
            throw MediaLinkError("device \(id) has not been announced.")
        }
        guard let at = header.at_ns, at > 0 else {
            throw MediaLinkError("`at_ns` is missing: expected the capture time on CLOCK_MONOTONIC.")
        }
        let error = Nanoseconds(min(max(header.error_ns ?? 0, 0), 3_600_000_000_000))
        let time = ClockTime(nanoseconds: at)
        switch device {
        case .camera(let camera):
            guard header.type == "frame", let sequence = header.sequence else {
                throw MediaLinkError("a camera must send `frame` messages with a `sequence` number.")
            }
            try camera.receiveFrame(
                bytes, at: time, error: error, sequence: sequence, isKey: header.key ?? true)
        case .microphone(let microphone):
            guard header.type == "audio", let first = header.first_sample else {
                throw MediaLinkError(
                    "a microphone must send `audio` messages that contain `first_sample`, the number of the first sample."
                )
            }
            try microphone.receiveAudio(bytes, at: time, error: error, firstSample: first)
        }
    }

    /// Receives the faces and codes that the process found in a frame of a camera.
    private func receiveMetadata(_ header: MediaHeader, _ id: Int) throws(MediaLinkError) {
        guard let role = header.role, let at = header.at_ns, at > 0, let analysis = header.analysis else {
            throw MediaLinkError(
                "a `metadata` message needs the `role` of a camera, the frame's `at_ns`, and at most \(FrameAnalysis.mostFound) `faces` and \(FrameAnalysis.mostFound) `codes`. "
                    + "A face needs `id`, `box`, and `confidence`, and can have `activity`; a code needs `kind` (qr, ean-13, or code-128), `payload`, `box`, and `confidence`. "
                    + "A `box` has `x`, `y`, `width`, and `height` in fractions of the upright frame; `confidence` and `activity` are from 0 to 1."
            )
        }
        state.withLock(\.session)?.receive(
            analysis, of: role, sequence: header.sequence, at: ClockTime(nanoseconds: at),
            from: CameraDetections.Source(connection: number, id: id))
    }

    /// Handles a process's messages about a camera, other than frames.
    private func handleCameraMessage(_ header: MediaHeader, _ id: Int) throws(MediaLinkError) {
        guard case .camera(let camera)? = state.withLock({ $0.devices[id] }) else {
            throw MediaLinkError(
                "`\(header.type)` requires a camera, but no camera with this ID has been announced.")
        }
        if header.type == "remark", let text = header.text {
            registry.reportRemark(text.printable(limit: 300), on: camera)
        } else if header.type == "controls", let controls = header.controls {
            camera.receiveControls(
                DeviceControl.controls(reported: controls), answering: header.number,
                refused: Set(header.refused ?? []))
        } else {
            throw MediaLinkError(
                "a `remark` message needs `text`, and a `controls` message needs `controls`.")
        }
    }

    /// Refuses a message from the process. If a device sends invalid data, the error is reported once, and
    /// the device is removed.
    private func refuse(_ header: MediaHeader, _ reason: String) {
        guard let id = header.id, ["frame", "audio"].contains(header.type) else {
            return sendError(header.id, reason)
        }
        let (device, isNew) = state.withLock { state in
            let device = state.devices.removeValue(forKey: id)
            if state.rejectedDevices.count >= Self.maxIDs { state.rejectedDevices.removeAll() }
            return (device, state.rejectedDevices.insert(id).inserted)
        }
        if let device { disconnect(device, cause: "the source sent an invalid message: \(reason)") }
        if isNew { sendError(id, reason) }
    }

    private func disconnect(_ device: Device, cause: String?) {
        switch device {
        case .camera(let camera): registry.disconnect(camera, cause: cause)
        case .microphone(let microphone): registry.disconnect(microphone, cause: cause)
        }
    }

    /// Ends all subscriptions and devices of the process.
    private func disconnectAll() {
        attachmentLock.withLock { _ in
            for id in state.withLock({ Array($0.subscriptions.keys) }) { unsubscribe(id) }
        }
        let devices = state.withLock { state in
            defer { state.devices = [:] }
            return Array(state.devices.values)
        }
        for device in devices { disconnect(device, cause: nil) }
    }
}
