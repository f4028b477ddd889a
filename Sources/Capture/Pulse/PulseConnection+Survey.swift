internal import CLinux
internal import Media

extension PulseConnection {
    /// Asks for the server's name with its version, and its default source.
    func serverFacts() throws(DeviceError) -> (server: String, defaultSource: String?) {
        let empty: (server: String, defaultSource: String?) = ("", nil)
        return try ask(empty, operation: "ask for the server") { userdata in
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let reply = PulseReply<(server: String, defaultSource: String?)>.behind(userdata)
                    else { return }
                    let words = [info?.pointee.server_name, info?.pointee.server_version].compactMap { $0 }
                    reply.value.server = words.map { String(cString: $0) }.joined(separator: " ")
                    reply.value.defaultSource = info?.pointee.default_source_name.map { String(cString: $0) }
                    reply.complete()
                }, userdata)
        }
    }

    /// Asks for the output that programs play through; `nil` where there is none.
    func defaultSinkName() throws(DeviceError) -> String? {
        try ask(String?.none, operation: "ask for the default output") { userdata in
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let reply = PulseReply<String?>.behind(userdata) else { return }
                    reply.value = info?.pointee.default_sink_name.map { String(cString: $0) }
                    reply.complete()
                }, userdata)
        }
    }

    /// Asks for all sources with their mute and volume.
    func sourceStates() throws(DeviceError) -> [PulseSurvey.Source] {
        try ask([PulseSurvey.Source](), operation: "list sources") { userdata in
            pa_context_get_source_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[PulseSurvey.Source]>.behind(userdata) else { return }
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.append(PulseSurvey.Source(info.pointee))
                }, userdata)
        }
    }

    func moduleNames() throws(DeviceError) -> [String] {
        try ask([String](), operation: "list modules") { userdata in
            pa_context_get_module_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[String]>.behind(userdata) else { return }
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.append(info.pointee.name.map { String(cString: $0) } ?? "")
                }, userdata)
        }
    }
}

extension PulseSurvey.Source {
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
