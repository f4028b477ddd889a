internal import CLinux
internal import Media

extension PulseConnection {
    /// Asks for all sources that the server has now, monitors included, in the server's order.
    func sources() throws(DeviceError) -> [PulseSource] {
        let defaultName = try defaultSourceName()
        let start = PulseSourceList(defaultName: defaultName)
        let list = try ask(start, operation: "list sources") { userdata in
            pa_context_get_source_info_list(
                context,
                { _, info, end, userdata in
                    guard let reply = PulseReply<PulseSourceList>.behind(userdata) else { return }
                    // Above 0 after the last, below 0 for a failure: the list ends either way.
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
        try ask(String?.none, operation: "ask for the default source") { userdata in
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let reply = PulseReply<String?>.behind(userdata) else { return }
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
