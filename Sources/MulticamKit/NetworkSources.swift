internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
package import MulticamMediaServing
internal import MulticamSessionFolder
internal import MulticamSetup
internal import MulticamSystem

/// Provides network cameras and screens to a session. A separate process, `multicam-sources`, connects to
/// these sources and sends their media to the media socket.
///
/// ```swift
/// let sources = NetworkSources(of: mediaServer, sentTo: devices)
/// request.remoteDevices = sources
/// let setup = try SessionSetup(request)
/// …
/// sources.end()
/// ```
///
/// The process starts with the first requested camera. If the process crashes or hangs, it is restarted and receives
/// the requests again. Recordings never wait for the process. Passwords are passed only on the standard input of the
/// process. Thread-safe.
package final class NetworkSources: RemoteDeviceFinder {
    private struct State {
        /// The requests for sources, in the order in which each source was first requested.
        var requests: [SourceRequest] = []
        var reports: [String: SourceReport] = [:]
        /// The reason why the process can't be started; `nil` if the process can be started.
        var startFailure: String?
    }

    private let devices: RemoteDevices
    private let notify: @Sendable (String) -> Void
    private let state = ConditionLock(State())
    private let helper: HelperProcess

    private static let programName = "multicam-sources"

    /// Creates the sources without starting a process.
    ///
    /// - Parameters:
    ///   - server: The media server that receives the process's media.
    ///   - devices: The devices of that server.
    ///   - program: Path of `multicam-sources`; `nil` to find it where multicam is installed or built.
    ///   - withheld: Names of environment variables of this process, such as those with passwords, that the helper
    ///     doesn't inherit.
    ///   - notify: Receives messages for the user, on any thread.
    package init(
        of server: MediaServer, sentTo devices: RemoteDevices, program: String? = nil,
        withholding withheld: Set<String> = [], notify: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.devices, self.notify) = (devices, notify)
        helper = HelperProcess(
            Self.programName, thread: "sources", missingProgramPrefix: "The program for network cameras",
            socket: server.path,
            program: program ?? ProgramPath.sibling(Self.programName), withholding: withheld, notify: notify)
    }

    // MARK: Requested sources

    /// Requests a connection to a network camera to receive its frames.
    package func expect(camera selector: String) { request(selector, reconnects: true) { $0.video = true } }

    /// Requests a connection to a network camera to receive its audio.
    package func expect(microphone selector: String) {
        request(selector, reconnects: true) { $0.audio = true }
    }

    /// Waits for a camera. Blocks the calling thread; don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera.
    ///   - limit: Maximum waiting time.
    /// - Returns: The camera, which hasn't been started.
    /// - Throws: `DeviceError` if the camera doesn't deliver frames in time, refuses the connection, or is in
    ///   use by another role.
    package func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource
    {
        guard let name = request(selector, { $0.video = true }) else {
            return try devices.camera(selector, within: limit)
        }
        return try devices.camera(name, within: limit) { outlook(for: name) }
    }

    /// Waits for a microphone. Blocks the calling thread; don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera with audio.
    ///   - limit: Maximum waiting time.
    /// - Returns: The microphone, which hasn't been started.
    /// - Throws: `DeviceError` if the microphone doesn't deliver audio in time, refuses the connection, or is
    ///   in use by another role.
    package func microphone(
        _ selector: String, within limit: Nanoseconds
    ) throws(DeviceError) -> any MicrophoneSource {
        guard let name = request(selector, { $0.audio = true }) else {
            return try devices.microphone(selector, within: limit)
        }
        return try devices.microphone(name, within: limit) { outlook(for: name) }
    }

    /// Requests that the process connect to a camera.
    ///
    /// - Parameters:
    ///   - selector: Any selector.
    ///   - reconnects: Whether to reconnect a source that the user has ended.
    ///   - change: Updates the request with the required media.
    /// - Returns: The name under which the process announces the camera; `nil` if the selector isn't an
    ///   address.
    @discardableResult
    private func request(
        _ selector: String, reconnects: Bool = false, _ change: (inout SourceRequest) -> Void
    ) -> String? {
        guard SourceAddress.handles(selector) else { return nil }
        let address: SourceAddress
        do throws(AddressError) {
            address = try SourceAddress(selector)
        } catch {
            return nil
        }
        state.withLock { state in
            guard !helper.isEnding else { return }
            let index = state.requests.firstIndex { $0.name == address.name }
            var request =
                index.map { state.requests[$0] }
                ?? SourceRequest(name: address.name, url: Secret(address.text))
            request.url = Secret(address.text)
            change(&request)
            let hasEnded = reconnects && state.reports[address.name]?.state == .ended
            guard index.map({ state.requests[$0] != request || hasEnded }) ?? true else { return }
            if let index { state.requests[index] = request } else { state.requests.append(request) }
            state.reports[address.name] = nil
            state.startFailure = nil
            helper.send(JSONText.line(SourceCommand(open: request)))
            helper.registerRequest(for: self)
        }
        return address.name
    }

    private func outlook(for name: String) -> SourceOutlook? {
        state.withLock { state in
            if let lack = state.startFailure { return SourceOutlook(text: lack, isFinal: true) }
            guard let report = state.reports[name], let text = report.text else { return nil }
            return SourceOutlook(text: text, isFinal: [.refused, .ended].contains(report.state))
        }
    }

    /// Ends the process, and waits at most about two seconds until it has exited. After this call, no devices
    /// are provided. Blocks the calling thread; don't call this method from a Swift task.
    package func end() { helper.end() }
}

// MARK: Source process

extension NetworkSources: HelperOwner {
    func withRequests(_ body: ([String]) -> Void) {
        state.withLock { state in
            // Sources that the user has ended aren't restored after a crash.
            let wanted = state.requests.filter { state.reports[$0.name]?.state != .ended }
            body(wanted.map { JSONText.line(SourceCommand(open: $0)) })
        }
    }

    var mustReportEverySecond: Bool { true }

    func processHasEnded(_ words: String) { notify("The program for network cameras \(words)") }

    func processIsMissing(_ text: String) { state.withLock { $0.startFailure = text } }

    func receive(_ line: String) {
        let report: SourceReport
        do {
            report = try JSONDecoder().decode(SourceReport.self, from: Data(line.utf8))
        } catch {
            // The message is invalid or was sent by another version. The message is ignored because later
            // messages may be readable.
            return
        }
        let remark = state.withLock { state -> String? in
            var report = report
            report.text = report.text?.printable(limit: 400)
            state.startFailure = nil
            guard state.requests.contains(where: { $0.name == report.source }) else { return nil }
            let isNew = state.reports.updateValue(report, forKey: report.source) != report
            return isNew && [.connected, .asking].contains(report.state) ? report.text : nil
        }
        if let remark { notify(remark) }
    }
}
