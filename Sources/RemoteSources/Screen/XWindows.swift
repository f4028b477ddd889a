internal import CMulticamXCB
internal import MulticamMedia

/// The windows of a display, by title. Use this type only on the connection's thread.
struct XWindows {
    private let connection: XConnection
    private let address: SourceAddress

    /// Maximum depth of client windows inside a window manager's frames.
    private static let deepest = 4
    /// Maximum number of windows to search.
    private static let maxWindows = 4000

    init(_ connection: XConnection, _ address: SourceAddress) {
        (self.connection, self.address) = (connection, address)
    }

    /// Returns the window that matches a selector.
    ///
    /// - Parameter words: The window's ID (`0x1c00007`), or words of its title, not case-sensitive.
    /// - Returns: The window's ID.
    /// - Throws: `SourceError` if no window matches, or several match the words.
    func window(_ words: String) throws(SourceError) -> UInt32 {
        if words.hasPrefix("0x") {
            guard let number = UInt32(words.dropFirst(2), radix: 16), try isShown(number) else {
                throw .lost(
                    "the display of \(address) does not have a window with the ID \(words.printable()).")
            }
            return number
        }
        var found: [(number: UInt32, title: String)] = []
        var (left, open) = (Self.maxWindows, try managed().map { ($0, 0) })
        if open.isEmpty { open = try children(of: connection.setup.screen.root).map { ($0, 1) } }
        while let (window, depth) = open.popLast(), left > 0 {
            left -= 1
            guard try isShown(window) else { continue }
            if let title = try title(of: window), title.lowercased().contains(words.lowercased()) {
                found.append((window, title))
            } else if depth > 0, depth < Self.deepest {
                open += try children(of: window).map { ($0, depth + 1) }
            }
        }
        let same = found.filter { $0.title == words }
        if same.count == 1 { return same[0].number }
        guard let only = found.first else {
            throw .lost(
                "the display of \(address) does not have a window with “\(words.printable())” in its title.")
        }
        guard found.count == 1 else {
            let list = found.prefix(8).map {
                "0x\(String($0.number, radix: 16)) “\($0.title.printable(limit: 60))”"
            }
            throw .refused(
                "\(found.count) windows have “\(words.printable())” in their titles: \(list.joined(separator: ", ")). Select a window by its ID, for example "
                    + "window=0x\(String(only.number, radix: 16)).")
        }
        return only.number
    }

    /// Whether a window exists, is visible, and is larger than the internal helper windows of programs.
    private func isShown(_ window: UInt32) throws(SourceError) -> Bool {
        let looks = xcb_get_window_attributes(connection.handle, window)
        let place = xcb_get_geometry(connection.handle, window)
        let attributes = try connection.reply(to: looks.sequence, xcb_get_window_attributes_reply_t.self)
        let geometry = try connection.reply(to: place.sequence, xcb_get_geometry_reply_t.self)
        guard let attributes, let geometry else { return false }
        return attributes.pointer.pointee.map_state == XCB_MAP_STATE_VIEWABLE.rawValue
            && min(geometry.pointer.pointee.width, geometry.pointer.pointee.height) >= ScreenFit.leastSide
    }

    /// Returns the windows that the window manager lists.
    private func managed() throws(SourceError) -> [UInt32] {
        guard let list = try atom("_NET_CLIENT_LIST"),
            let windows = try property(list, of: connection.setup.screen.root, as: UInt32.self)
        else { return [] }
        return windows
    }

    private func children(of window: UInt32) throws(SourceError) -> [UInt32] {
        let cookie = xcb_query_tree(connection.handle, window)
        guard let reply = try connection.reply(to: cookie.sequence, xcb_query_tree_reply_t.self) else {
            return []
        }
        return reply.numbers(Int(reply.pointer.pointee.children_len), UInt32.self) ?? []
    }

    private func title(of window: UInt32) throws(SourceError) -> String? {
        var bytes: [UInt8]?
        if let name = try atom("_NET_WM_NAME") { bytes = try property(name, of: window, as: UInt8.self) }
        if bytes?.isEmpty ?? true {
            bytes = try property(XCB_ATOM_WM_NAME.rawValue, of: window, as: UInt8.self)
        }
        return bytes.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }

    private func atom(_ name: String) throws(SourceError) -> UInt32? {
        let cookie = xcb_intern_atom(connection.handle, 1, UInt16(name.utf8.count), name)
        guard let reply = try connection.reply(to: cookie.sequence, xcb_intern_atom_reply_t.self) else {
            return nil
        }
        let atom = reply.pointer.pointee.atom
        return atom == 0 ? nil : atom
    }

    /// Returns the numbers of a property; `nil` if the property doesn't exist with this item width.
    private func property<Number: FixedWidthInteger & BitwiseCopyable>(
        _ name: UInt32, of window: UInt32, as type: Number.Type
    ) throws(SourceError) -> [Number]? {
        let cookie = xcb_get_property(
            connection.handle, 0, window, name, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, 4096)
        guard let reply = try connection.reply(to: cookie.sequence, xcb_get_property_reply_t.self),
            reply.pointer.pointee.format == Number.bitWidth
        else { return nil }
        return reply.numbers(Int(reply.pointer.pointee.value_len), type)
    }
}
