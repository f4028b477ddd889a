internal import FoundationEssentials
internal import Glibc
public import Media
public import MediaServing
internal import Processes
internal import SessionFolder
public import Setup

/// Brings network cameras and screens to a session, by a process of its own, `multicam-sources`, which connects to them and sends them to
/// the media socket.
///
///     let sources = NetworkSources(of: mediaServer, sentTo: devices)
///     let setup = try SessionSetup(request, remote: sources)
///     …
///     sources.end()
///
/// That process begins with the first camera that is wanted. When it dies or hangs it is started again and told anew what is wanted; no
/// recording waits for it. Passwords reach it on its standard input alone. Safe to use from any thread.
public final class NetworkSources: RemoteSources {
    private struct State {
        /// What is wanted, in the order in which it was first wanted.
        var requests: [SourceRequest] = []
        var reports: [String: SourceReport] = [:]
        /// Why no process can be started; `nil` while one can.
        var lack: String?
    }

    private let devices: RemoteDevices
    private let say: @Sendable (String) -> Void
    private let state = ConditionLock(State())
    private let helper: HelperProcess

    private static let programName = "multicam-sources"

    /// Creates the list; no process is started yet.
    ///
    /// - Parameters:
    ///   - server: The media server to which the process sends.
    ///   - devices: The devices of that server.
    ///   - program: Path of `multicam-sources`; `nil` finds it where multicam is installed or built.
    ///   - withheld: Names of variables of this process, such as those that hold passwords, which the process does not get.
    ///   - say: Receives sentences for the user, on any thread.
    public init(
        of server: MediaServer, sentTo devices: RemoteDevices, program: String? = nil,
        withholding withheld: Set<String> = [], saying say: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.devices, self.say) = (devices, say)
        helper = HelperProcess(
            Self.programName, thread: "sources", lack: "the program for network cameras", socket: server.path,
            program: program ?? ProgramPath.beside(Self.programName), withholding: withheld, saying: say)
    }

    // MARK: What is wanted

    /// Connects to a network camera for its frames.
    public func expect(camera selector: String) { want(selector, anew: true) { $0.video = true } }

    /// Connects to a network camera for its audio.
    public func expect(microphone selector: String) { want(selector, anew: true) { $0.audio = true } }

    /// Waits for a camera. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera.
    ///   - limit: How long it may take.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` when it does not deliver in time, refuses, or a role has it.
    public func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource
    {
        guard let name = want(selector, { $0.video = true }) else {
            return try devices.camera(selector, within: limit)
        }
        return try devices.camera(name, within: limit) { outlook(for: name) }
    }

    /// Waits for a microphone. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera that has audio.
    ///   - limit: How long it may take.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` when it does not deliver in time, refuses, or a role has it.
    public func microphone(
        _ selector: String, within limit: Nanoseconds
    ) throws(DeviceError) -> any MicrophoneSource {
        guard let name = want(selector, { $0.audio = true }) else {
            return try devices.microphone(selector, within: limit)
        }
        return try devices.microphone(name, within: limit) { outlook(for: name) }
    }

    /// Has the process connect to a camera.
    ///
    /// - Parameters:
    ///   - selector: Any selector.
    ///   - anew: Whether what a person has ended is begun again.
    ///   - change: Says what of it is wanted.
    /// - Returns: The name under which it announces it; `nil` for a selector that is no address.
    @discardableResult
    private func want(
        _ selector: String, anew: Bool = false, _ change: (inout SourceRequest) -> Void
    ) -> String? {
        guard SourceAddress.handles(selector) else { return nil }
        let address: SourceAddress
        do throws(DestinationAddressError) {
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
            let hasEnded = anew && state.reports[address.name]?.state == .ended
            guard index.map({ state.requests[$0] != request || hasEnded }) ?? true else { return }
            if let index { state.requests[index] = request } else { state.requests.append(request) }
            state.reports[address.name] = nil
            state.lack = nil
            helper.say(JSONText.line(SourceCommand(open: request)))
            helper.want(for: self)
        }
        return address.name
    }

    private func outlook(for name: String) -> SourceOutlook? {
        state.withLock { state in
            if let lack = state.lack { return SourceOutlook(text: lack, isFinal: true) }
            guard let report = state.reports[name], let text = report.text else { return nil }
            return SourceOutlook(text: text, isFinal: [.refused, .ended].contains(report.state))
        }
    }

    /// Ends the process; waits for it for at most some two seconds. Nothing is brought afterwards. Blocks; not for Swift tasks.
    public func end() { helper.end() }
}

// MARK: The process

extension NetworkSources: HelperOwner {
    func withWishes(_ body: ([String]) -> Void) {
        state.withLock { state in
            // A process that has died took with it what a person had ended.
            let wanted = state.requests.filter { state.reports[$0.name]?.state != .ended }
            body(wanted.map { JSONText.line(SourceCommand(open: $0)) })
        }
    }

    var isToldEachSecond: Bool { true }

    func processHasEnded(_ words: String) { say("the program that brings network cameras \(words)") }

    func processIsMissing(_ text: String) { state.withLock { $0.lack = text } }

    func hear(_ line: String) {
        let report: SourceReport
        do {
            report = try JSONDecoder().decode(SourceReport.self, from: Data(line.utf8))
        } catch {
            // Of another version, or none: what it tells next may be understood.
            return
        }
        let remark = state.withLock { state -> String? in
            var report = report
            report.text = report.text?.printable(limit: 400)
            state.lack = nil
            guard state.requests.contains(where: { $0.name == report.source }) else { return nil }
            let isNew = state.reports.updateValue(report, forKey: report.source) != report
            return isNew && [.connected, .asking].contains(report.state) ? report.text : nil
        }
        if let remark { say(remark) }
    }
}
