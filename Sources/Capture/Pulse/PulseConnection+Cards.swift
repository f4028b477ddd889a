internal import CLinux
internal import Media

extension PulseConnection {
    /// Asks for all cards that the server has now, with their numbers.
    func cards() throws(DeviceError) -> [(index: UInt32, card: SoundCard)] {
        try ask([(index: UInt32, card: SoundCard)](), operation: "list cards") { userdata in
            pa_context_get_card_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<[(index: UInt32, card: SoundCard)]>.behind(userdata) else {
                        return
                    }
                    guard end == 0, let info else { return reply.complete() }
                    reply.value.append((info.pointee.index, SoundCard(info.pointee)))
                }, userdata)
        }
    }

    /// Switches a card to a profile.
    ///
    /// - Returns: `nil` when it was done, else the reason for the refusal.
    func setProfile(_ profile: String, ofCard card: String) throws(DeviceError) -> String? {
        try order("choose a card's profile") { userdata in
            pa_context_set_card_profile_by_name(context, card, profile, Self.orderDone, userdata)
        }
    }

    /// Switches a source to a port.
    ///
    /// - Returns: `nil` when it was done, else the reason for the refusal.
    func setPort(_ port: String, ofSource source: String) throws(DeviceError) -> String? {
        try order("choose a source's port") { userdata in
            pa_context_set_source_port_by_name(context, source, port, Self.orderDone, userdata)
        }
    }

    /// Has the server do something; `begin` starts it with `orderDone` as the callback. Returns `nil` when it was done,
    /// else the reason for the refusal.
    func order(
        _ operation: String, _ begin: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(DeviceError) -> String? {
        try ask(String?.none, operation: operation, begin)
    }

    static let orderDone: pa_context_success_cb_t = { context, success, userdata in
        guard let reply = PulseReply<String?>.behind(userdata) else { return }
        reply.value = success != 0 ? nil : String(cString: pa_strerror(pa_context_errno(context)))
        reply.complete()
    }
}

extension SoundCard {
    /// Takes over libpulse's facts about a card, which are valid during a callback only.
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
    /// Takes over the ports of a source from libpulse, which are valid during a callback only.
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
