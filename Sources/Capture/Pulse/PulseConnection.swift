internal import CMulticamLinux
import Glibc
internal import MulticamMedia

/// A connection to the sound server. Owns libpulse's loop and context.
///
/// Can be used from any thread except libpulse's thread. The last reference must not be released on libpulse's thread
/// either.
final class PulseConnection: @unchecked Sendable {
    // The pointer is set once. The object behind the pointer is accessed only under the loop's lock.
    let context: OpaquePointer
    private let loop: PulseLoop
    private let interruption: PulseInterruption?

    /// Connects to a server. Never starts a server. On a desktop, the server is already running; on other
    /// systems, the error should explain why audio isn't available.
    ///
    /// - Parameters:
    ///   - clientName: Name shown in mixers.
    ///   - server: A PulseAudio server string such as `unix:/run/user/1000/pulse/native`; `nil` for the user's default
    ///     server.
    ///   - timeLimit: Maximum time for the server to accept the connection.
    ///   - interruption: Lets another thread end every wait for a server reply.
    /// - Throws: `DeviceError` with `noSoundServer` and libpulse's reason, or the remark that the server
    ///   didn't respond in time.
    init(
        clientName: String = "multicam", server: String? = nil, timeLimit: Nanoseconds = .seconds(3),
        interruption: PulseInterruption? = nil
    ) throws(DeviceError) {
        let loop = try PulseLoop()
        interruption?.attach(to: loop)
        let created = loop.locked {
            pa_context_new(pa_threaded_mainloop_get_api(loop.pointer), clientName)
        }
        guard let created else { throw Self.noServer("out of memory") }
        self.loop = loop
        self.interruption = interruption
        context = created
        try locked { () throws(DeviceError) in
            // The userdata is the loop, which outlives the context because of the order in `deinit`.
            pa_context_set_state_callback(
                context, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
                UnsafeMutableRawPointer(loop.pointer))
            guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { throw failure }
            let isDecided = wait(atMost: timeLimit) { isReady || hasFailed }
            guard isDecided else {
                throw Self.noServer("no response within \(timeLimit.count / 1_000_000_000) s")
            }
            guard isReady else { throw failure }
        }
    }

    deinit {
        loop.locked {
            pa_context_set_state_callback(context, nil, nil)
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
    }

    /// Runs `body` while holding the lock that all libpulse calls require.
    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try loop.locked(body)
    }

    /// Whether the connection is ready. Must be called under the lock.
    var isReady: Bool { pa_context_get_state(context) == PA_CONTEXT_READY }

    var isInterrupted: Bool { interruption?.isInterrupted == true }

    /// Wakes the thread that is blocked in `wait`. Must be called under the lock.
    func wake() {
        pa_threaded_mainloop_signal(loop.pointer, 0)
    }

    /// Sleeps until `condition` is true. Must be called under the lock, which is released while sleeping. Evaluates
    /// `condition` after each `wake` and each change of the connection.
    ///
    /// - Returns: `false` if `limit` elapsed first or the connection was interrupted.
    func wait(atMost limit: Nanoseconds, until condition: () -> Bool) -> Bool {
        let deadline = pa_rtclock_now() + pa_usec_t(max(limit.count, 0) / 1_000)
        // The timer fires one millisecond after the deadline, so that the deadline has passed when this thread wakes.
        let alarm = pa_context_rttime_new(
            context, deadline + 1_000,
            { _, _, _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
            UnsafeMutableRawPointer(loop.pointer))
        defer {
            if let alarm { pa_threaded_mainloop_get_api(loop.pointer).pointee.time_free(alarm) }
        }
        while !condition() {
            if pa_rtclock_now() >= deadline || isInterrupted { return false }
            pa_threaded_mainloop_wait(loop.pointer)
        }
        return true
    }

    /// Sends a query to the server and waits up to 3 s for the reply.
    ///
    /// - Parameters:
    ///   - initial: The initial value, which the callbacks modify.
    ///   - operation: Name of the query, for messages.
    ///   - begin: Starts the query with a `PulseReply<Value>` as the callback's userdata.
    /// - Returns: The value after all callbacks.
    /// - Throws: `DeviceError` with `noSoundServer` if the query can't be sent, the server doesn't reply in
    ///   time, or the server disappears.
    func query<Value>(
        _ initial: Value, operation: String, _ begin: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(DeviceError) -> Value {
        let reply = PulseReply(initial, on: self)
        func unanswered(_ why: String) -> DeviceError {
            DeviceError(
                device: "PulseAudio", operation: operation,
                reason: .noSoundServer(isReady ? why : "the connection was lost"))
        }
        return try locked { () throws(DeviceError) in
            // `reply` outlives the callbacks: the operation is completed or canceled before this scope ends.
            guard let question = begin(Unmanaged.passUnretained(reply).toOpaque()) else {
                throw unanswered(failureText)
            }
            defer { pa_operation_unref(question) }
            _ = wait(atMost: .seconds(3)) { reply.isComplete || !isReady }
            if pa_operation_get_state(question) == PA_OPERATION_RUNNING { pa_operation_cancel(question) }
            guard reply.isComplete else { throw unanswered("no response within 3 s") }
            return reply.value
        }
    }

    /// libpulse's description of the last failure. Must be called under the lock.
    var failureText: String { String(cString: pa_strerror(pa_context_errno(context))) }

    private var failure: DeviceError { Self.noServer(failureText) }

    private var hasFailed: Bool {
        let state = pa_context_get_state(context)
        return state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED
    }

    private static func noServer(_ reason: String) -> DeviceError {
        DeviceError(device: "PulseAudio", operation: "connecting", reason: .noSoundServer(reason))
    }
}

extension PulseConnection {
    /// Returns all current sources, including monitors, in the server's order.
    func sources() throws(DeviceError) -> [PulseSource] {
        let defaultName = try defaultSourceName()
        let start = PulseSourceList(defaultName: defaultName)
        let list = try query(start, operation: "listing sources") { userdata in
            pa_context_get_source_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<PulseSourceList>.fromUserdata(userdata) else { return }
                    // `end` is positive after the last item, and negative on failure. The list ends in both cases.
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.sources.append(
                        PulseSource(info.pointee, defaultName: reply.value.defaultName))
                }, userdata)
        }
        let cards = try cards()
        return list.sources.map { source in
            var source = source
            source.card = cards.first { $0.index == source.cardIndex }?.card
            return source
        }
    }

    private func defaultSourceName() throws(DeviceError) -> String? {
        try query(String?.none, operation: "finding the default source") { userdata in
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let reply = PulseReply<String?>.fromUserdata(userdata) else { return }
                    reply.value = info?.pointee.default_source_name.map { String(cString: $0) }
                    reply.complete()
                }, userdata)
        }
    }
}

private struct PulseSourceList {
    let defaultName: String?
    var sources: [PulseSource] = []
}

extension PulseConnection {
    /// Returns all current cards with their indices.
    func cards() throws(DeviceError) -> [(index: UInt32, card: SoundCard)] {
        try query([(index: UInt32, card: SoundCard)](), operation: "listing cards") { userdata in
            pa_context_get_card_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[(index: UInt32, card: SoundCard)]>.fromUserdata(userdata)
                    else {
                        return
                    }
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.append((info.pointee.index, SoundCard(info.pointee)))
                }, userdata)
        }
    }

    /// Switches a card to a profile.
    ///
    /// - Returns: `nil` on success, otherwise the reason for the failure.
    func setProfile(_ profile: String, ofCard card: String) throws(DeviceError) -> String? {
        try perform("selecting a card profile") { userdata in
            pa_context_set_card_profile_by_name(context, card, profile, Self.successCallback, userdata)
        }
    }

    /// Switches a source to a port.
    ///
    /// - Returns: `nil` on success, otherwise the reason for the failure.
    func setPort(_ port: String, ofSource source: String) throws(DeviceError) -> String? {
        try perform("selecting a source port") { userdata in
            pa_context_set_source_port_by_name(context, source, port, Self.successCallback, userdata)
        }
    }

    /// Runs a server operation, which `begin` starts with `successCallback` as the callback. Returns `nil` on success,
    /// otherwise the reason for the failure.
    func perform(
        _ operation: String, _ begin: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(DeviceError) -> String? {
        try query(String?.none, operation: operation, begin)
    }

    static let successCallback: pa_context_success_cb_t = { context, success, userdata in
        guard let reply = PulseReply<String?>.fromUserdata(userdata) else { return }
        reply.value = success != 0 ? nil : String(cString: pa_strerror(pa_context_errno(context)))
        reply.complete()
    }
}

extension SoundCard {
    /// Copies libpulse's information about a card, which is valid only during a callback.
    fileprivate init(_ info: pa_card_info) {
        func text(_ string: UnsafePointer<CChar>?) -> String {
            string.map { String(cString: $0).printable() } ?? ""
        }
        let profiles = UnsafeBufferPointer(start: info.profiles2, count: Int(info.n_profiles)).compactMap {
            $0?.pointee
        }
        let name = text(info.name)
        let description = pa_proplist_gets(info.proplist, PA_PROP_DEVICE_DESCRIPTION).map { text($0) }
        self.init(
            name: name, description: description ?? name,
            profiles: profiles.map {
                Profile(
                    name: text($0.name), description: text($0.description), isAvailable: $0.available != 0,
                    sourceCount: Int($0.n_sources))
            }, activeProfile: info.active_profile2.map { text($0.pointee.name) })
    }
}

extension AudioPort {
    /// Copies libpulse's port information for a source, which is valid only during a callback.
    static func all(of info: pa_source_info) -> [AudioPort] {
        func text(_ string: UnsafePointer<CChar>?) -> String {
            string.map { String(cString: $0).printable() } ?? ""
        }
        let active = info.active_port.map { text($0.pointee.name) }
        let ports = UnsafeBufferPointer(start: info.ports, count: Int(info.n_ports))
        return ports.compactMap { $0?.pointee }.map { port in
            AudioPort(
                name: text(port.name), description: text(port.description),
                isActive: text(port.name) == active,
                isUnplugged: port.available == Int32(PA_PORT_AVAILABLE_NO.rawValue))
        }
    }
}

extension PulseConnection {
    /// A module loaded in the server.
    struct Module {
        let index: UInt32
        let name: String
        let argument: String
    }

    /// Returns all modules loaded in the server.
    func modules() throws(DeviceError) -> [Module] {
        try query([Module](), operation: "listing modules") { userdata in
            pa_context_get_module_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[Module]>.fromUserdata(userdata) else { return }
                    guard end == 0, let info = info?.pointee else { return reply.complete() }
                    func text(_ string: UnsafePointer<CChar>?) -> String {
                        string.map { String(cString: $0) } ?? ""
                    }
                    reply.value.append(
                        Module(index: info.index, name: text(info.name), argument: text(info.argument)))
                }, userdata)
        }
    }

    /// Loads a module into the server.
    ///
    /// - Returns: The module's index, or `nil` and the reason for the failure.
    func load(
        _ module: String, _ argument: String
    ) throws(DeviceError) -> (index: UInt32?, refusal: String) {
        let nothing: (index: UInt32?, refusal: String) = (nil, "")
        return try query(nothing, operation: "loading \(module)") { userdata in
            pa_context_load_module(
                context, module, argument,
                { context, index, userdata in
                    guard let reply = PulseReply<(index: UInt32?, refusal: String)>.fromUserdata(userdata)
                    else {
                        return
                    }
                    if index == linux_PA_INVALID_INDEX {
                        reply.value.refusal = String(cString: pa_strerror(pa_context_errno(context)))
                    } else {
                        reply.value.index = index
                    }
                    reply.complete()
                }, userdata)
        }
    }

    /// Unloads a module.
    ///
    /// - Returns: `nil` on success, otherwise the reason for the failure.
    func unload(module index: UInt32) throws(DeviceError) -> String? {
        try perform("unloading a module") { userdata in
            pa_context_unload_module(context, index, Self.successCallback, userdata)
        }
    }

    /// Unloads the modules of processes that no longer exist, in reverse load order.
    ///
    /// - Parameters:
    ///   - prefix: Name prefix of the sources and sinks that the modules created; the process ID follows.
    ///   - busy: Processes whose modules remain loaded.
    /// - Throws: `DeviceError` if the server disappears.
    func removeModules(ofGoneProcessesIn prefix: String, but busy: Set<pid_t> = []) throws(DeviceError) {
        for module in try modules().reversed() {
            guard let process = Self.processID(of: module.argument, prefix), process != getpid(),
                !busy.contains(process), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            _ = try unload(module: module.index)
        }
    }

    /// Returns the process ID from the name of a module's source or sink, which is part of the module's argument; `nil`
    /// if the name doesn't begin with `prefix`.
    static func processID(of argument: String, _ prefix: String) -> pid_t? {
        for word in argument.split(separator: " ") {
            for key in ["source_name=", "sink_name="] where word.hasPrefix(key) {
                if let process = processID(in: String(word.dropFirst(key.count)), prefix) { return process }
            }
        }
        return nil
    }

    /// Returns the process ID from the name of a source or sink of this program; `nil` if the name doesn't begin with
    /// `prefix`.
    static func processID(in name: String, _ prefix: String) -> pid_t? {
        guard name.hasPrefix(prefix) else { return nil }
        return name.dropFirst(prefix.count).split(separator: "_").first.flatMap { pid_t($0) }
    }
}

extension PulseConnection {
    /// Returns the server's name with its version, and its default source.
    func serverInfo() throws(DeviceError) -> (server: String, defaultSource: String?) {
        let empty: (server: String, defaultSource: String?) = ("", nil)
        return try query(empty, operation: "reading the server information") { userdata in
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard
                        let reply = PulseReply<(server: String, defaultSource: String?)>.fromUserdata(
                            userdata)
                    else { return }
                    let words = [info?.pointee.server_name, info?.pointee.server_version].compactMap { $0 }
                    reply.value.server = words.map { String(cString: $0) }.joined(separator: " ")
                    reply.value.defaultSource = info?.pointee.default_source_name.map { String(cString: $0) }
                    reply.complete()
                }, userdata)
        }
    }

    /// Returns the name of the default output; `nil` if none.
    func defaultSinkName() throws(DeviceError) -> String? {
        try query(String?.none, operation: "finding the default output") { userdata in
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let reply = PulseReply<String?>.fromUserdata(userdata) else { return }
                    reply.value = info?.pointee.default_sink_name.map { String(cString: $0) }
                    reply.complete()
                }, userdata)
        }
    }

    /// Returns all sources with their mute state and volume.
    func sourceStates() throws(DeviceError) -> [PulseConfiguration.Source] {
        try query([PulseConfiguration.Source](), operation: "listing sources") { userdata in
            pa_context_get_source_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[PulseConfiguration.Source]>.fromUserdata(userdata) else {
                        return
                    }
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.append(PulseConfiguration.Source(info.pointee))
                }, userdata)
        }
    }

    func moduleNames() throws(DeviceError) -> [String] {
        try query([String](), operation: "listing modules") { userdata in
            pa_context_get_module_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[String]>.fromUserdata(userdata) else { return }
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.append(info.pointee.name.map { String(cString: $0) } ?? "")
                }, userdata)
        }
    }
}

extension PulseConfiguration.Source {
    fileprivate init(_ info: pa_source_info) {
        let loudest = withUnsafeBytes(of: info.volume.values) { bytes in
            bytes.bindMemory(to: pa_volume_t.self).prefix(Int(info.volume.channels)).max() ?? 0
        }
        let name = info.name.map { String(cString: $0) } ?? ""
        self.init(
            name: name, description: info.description.map { String(cString: $0) } ?? name,
            isMonitor: info.monitor_of_sink != linux_PA_INVALID_INDEX, isMuted: info.mute != 0,
            volumePercent: Int(rounding: Double(loudest) / Double(linux_PA_VOLUME_NORM) * 100),
            hasFlatVolume: info.flags.rawValue & PA_SOURCE_FLAT_VOLUME.rawValue != 0)
    }
}
