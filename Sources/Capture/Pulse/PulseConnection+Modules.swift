internal import CLinux
import Glibc
internal import Media

extension PulseConnection {
    /// A module that is loaded in the server.
    struct Module {
        let index: UInt32
        let name: String
        let argument: String
    }

    /// Asks for all modules that are loaded in the server.
    func modules() throws(DeviceError) -> [Module] {
        try ask([Module](), operation: "list modules") { userdata in
            pa_context_get_module_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[Module]>.behind(userdata) else { return }
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
    /// - Returns: The module's number, or `nil` and the reason why the server did not load it.
    func load(
        _ module: String, _ argument: String
    ) throws(DeviceError) -> (index: UInt32?, refusal: String) {
        let nothing: (index: UInt32?, refusal: String) = (nil, "")
        return try ask(nothing, operation: "load \(module)") { userdata in
            pa_context_load_module(
                context, module, argument,
                { context, index, userdata in
                    guard let reply = PulseReply<(index: UInt32?, refusal: String)>.behind(userdata) else {
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
    /// - Returns: `nil` when it is gone, else the reason why it stays.
    func unload(module index: UInt32) throws(DeviceError) -> String? {
        try order("unload a module") { userdata in
            pa_context_unload_module(context, index, Self.orderDone, userdata)
        }
    }

    /// Unloads the modules of processes that are gone, the last one first.
    ///
    /// - Parameters:
    ///   - prefix: Beginning of the names of what the modules made; the process's number follows.
    ///   - busy: Processes whose modules stay.
    /// - Throws: `DeviceError` when the server goes away.
    func removeModules(ofGoneProcessesIn prefix: String, but busy: Set<pid_t> = []) throws(DeviceError) {
        for module in try modules().reversed() {
            guard let process = Self.process(of: module.argument, prefix), process != getpid(),
                !busy.contains(process), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            _ = try unload(module: module.index)
        }
    }

    /// The number of the process in the name of the source or sink that a module makes, from the module's argument; `nil` for
    /// modules whose names do not begin with `prefix`.
    static func process(of argument: String, _ prefix: String) -> pid_t? {
        for word in argument.split(separator: " ") {
            for key in ["source_name=", "sink_name="] where word.hasPrefix(key) {
                if let process = process(in: String(word.dropFirst(key.count)), prefix) { return process }
            }
        }
        return nil
    }

    /// The number of the process in the name of a source or sink of this program; `nil` for names that do not begin with `prefix`.
    static func process(in name: String, _ prefix: String) -> pid_t? {
        guard name.hasPrefix(prefix) else { return nil }
        return name.dropFirst(prefix.count).split(separator: "_").first.flatMap { pid_t($0) }
    }
}
