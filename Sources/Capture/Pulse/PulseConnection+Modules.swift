internal import CLinux
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
}
