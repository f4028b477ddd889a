internal import FoundationEssentials
internal import Glibc
public import Media
public import MediaLink
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
        var child: ChildProcess?
        /// When the process last told something.
        var heard = ClockTime(nanoseconds: 0)
        var thread: MediaThread?
        /// Why no process can be started; `nil` while one can.
        var lack: String?
        /// How often in a row the process has died soon.
        var earlyDeaths = 0
        var isEnding = false
    }

    private let devices: RemoteDevices
    private let socket: String
    private let program: String?
    private let withheld: Set<String>
    private let say: @Sendable (String) -> Void
    private let clock = MonotonicClock()
    private let state = ConditionLock(State())
    private let ending = Cancellation()

    private static let programName = "multicam-sources"
    /// The pause before the process is started again the first time.
    private static let firstPause = Nanoseconds.milliseconds(200)
    /// The pause before the process is started again when it dies soon each time.
    private static let pause = Nanoseconds.seconds(1)
    /// A process that lives for so long has not died soon.
    private static let soundLife = Nanoseconds.seconds(10)
    /// The process tells something each second; when it is silent for so long, it hangs.
    private static let longestSilence = Nanoseconds.seconds(10)
    /// How long the process may take to leave at the end.
    private static let patience = Nanoseconds.milliseconds(1500)

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
        (self.devices, socket) = (devices, server.path)
        self.program = program ?? ProgramPath.beside(Self.programName)
        (self.withheld, self.say) = (withheld, say)
    }

    // MARK: What is wanted

    /// Connects to a network camera for its frames.
    public func expect(camera selector: String) { want(selector) { $0.video = true } }

    /// Connects to a network camera for its audio.
    public func expect(microphone selector: String) { want(selector) { $0.audio = true } }

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
    /// - Returns: The name under which it announces it; `nil` for a selector that is no address.
    @discardableResult
    private func want(_ selector: String, _ change: (inout SourceRequest) -> Void) -> String? {
        guard SourceAddress.handles(selector) else { return nil }
        let address: SourceAddress
        do throws(DestinationAddressError) {
            address = try SourceAddress(selector)
        } catch {
            return nil
        }
        state.broadcast { state in
            guard !state.isEnding else { return }
            let index = state.requests.firstIndex { $0.name == address.name }
            var request =
                index.map { state.requests[$0] }
                ?? SourceRequest(name: address.name, url: Secret(address.text))
            request.url = Secret(address.text)
            change(&request)
            guard index.map({ state.requests[$0] != request }) ?? true else { return }
            if let index { state.requests[index] = request } else { state.requests.append(request) }
            state.reports[address.name] = nil
            state.lack = nil
            state.child?.say(JSONText.line(SourceCommand(open: request)))
            if state.thread == nil {
                state.thread = MediaThread(name: "sources") { [self] in while run() {} }
            }
        }
        return address.name
    }

    private func outlook(for name: String) -> SourceOutlook? {
        state.withLock { state in
            if let lack = state.lack { return SourceOutlook(text: lack, isFinal: true) }
            guard let report = state.reports[name], let text = report.text else { return nil }
            return SourceOutlook(text: text, isFinal: report.state == .refused)
        }
    }

    /// Ends the process; waits for it for at most some two seconds. Nothing is brought afterwards. Blocks; not for Swift tasks.
    public func end() {
        let (child, thread) = state.broadcast { state in
            state.isEnding = true
            return (state.child, state.thread)
        }
        ending.cancel()
        child?.finish()
        let isOver = state.wait(until: clock.now + Self.patience) { $0.child == nil ? true : nil } ?? false
        if !isOver { state.withLock(\.child)?.signal(SIGKILL) }
        thread?.join()
    }

    // MARK: The process, on the thread `sources`

    /// Runs the process once.
    ///
    /// - Returns: Whether to go on.
    private func run() -> Bool {
        guard !state.withLock(\.isEnding) else { return false }
        let began = clock.now
        guard let child = start() else {
            // The program may be there when something more is wanted.
            return state.wait { state in state.isEnding ? false : state.lack == nil ? true : nil }
        }
        let watch = watch(child)
        let status = child.wait()
        watch.cancel()
        let pause = state.broadcast { state -> Nanoseconds? in
            state.child = nil
            guard !state.isEnding else { return nil }
            state.earlyDeaths = clock.now - began > Self.soundLife ? 0 : state.earlyDeaths + 1
            return state.earlyDeaths > 1 ? Self.pause : Self.firstPause
        }
        guard let pause else { return false }
        let words = status > 128 ? "by signal \(status - 128)" : "with exit status \(status)"
        say("the program that brings network cameras has ended \(words), and is started again.")
        clock.sleep(until: clock.now + pause, unless: ending)
        return true
    }

    private func start() -> ChildProcess? {
        do throws(ProcessError) {
            guard let program, access(program, X_OK) == 0 else {
                let name = program?.printable(limit: 1000) ?? Self.programName
                throw ProcessError(
                    "the program for network cameras, \(name), is not there. Build it with `swift build`, or install the package multicam-studio."
                )
            }
            let child = try ChildProcess(program, ["--socket", socket], withholding: withheld.contains)
            state.broadcast { state in
                (state.child, state.heard) = (child, clock.now)
                // Under the lock, so that what is wanted next is said after it.
                for request in state.requests { child.say(JSONText.line(SourceCommand(open: request))) }
                if state.isEnding { child.finish() }
            }
            child.readOutput { [weak self] line in self?.take(line, from: child) }
            child.readMessages { [say] line in say("\(Self.programName): \(line.printable(limit: 1000))") }
            return child
        } catch {
            state.broadcast { $0.lack = error.description }
            return nil
        }
    }

    /// Kills the process when it is silent for too long.
    private func watch(_ child: ChildProcess) -> Cancellation {
        let done = Cancellation()
        _ = MediaThread(name: "sources:watch") { [state, clock] in
            while clock.sleep(until: clock.now + .seconds(1), unless: done) {
                if state.withLock({ clock.now - $0.heard > Self.longestSilence }) { child.signal(SIGKILL) }
            }
        }
        return done
    }

    private func take(_ line: String, from child: ChildProcess) {
        let report: SourceReport
        do {
            report = try JSONDecoder().decode(SourceReport.self, from: Data(line.utf8))
        } catch {
            // Of another version, or none: what it tells next may be understood.
            return
        }
        let remark = state.withLock { state -> String? in
            guard state.child === child else { return nil }
            state.heard = clock.now
            var report = report
            report.text = report.text?.printable(limit: 400)
            guard state.requests.contains(where: { $0.name == report.source }) else { return nil }
            let isNew = state.reports.updateValue(report, forKey: report.source) != report
            return isNew && report.state == .connected ? report.text : nil
        }
        if let remark { say(remark) }
    }
}
