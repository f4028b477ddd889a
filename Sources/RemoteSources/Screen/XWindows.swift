internal import CXCB
internal import Media

/// The windows of a display, by their titles. Belongs to the connection's thread.
struct XWindows {
    private let connection: XConnection
    private let address: SourceAddress

    /// How deep windows lie in those of a window manager.
    private static let deepest = 4
    /// Most windows that are looked at.
    private static let most = 4000

    init(_ connection: XConnection, _ address: SourceAddress) {
        (self.connection, self.address) = (connection, address)
    }

    /// The window that a selector names.
    ///
    /// - Parameter words: Its number (`0x1c00007`), or words of its title, in any case.
    /// - Returns: Its number.
    /// - Throws: `SourceError` when there is none, or several have the words.
    func window(_ words: String) throws(SourceError) -> UInt32 {
        if words.hasPrefix("0x") {
            guard let number = UInt32(words.dropFirst(2), radix: 16), try isShown(number) else {
                throw .lost("the display of \(address) shows no window \(words.printable()).")
            }
            return number
        }
        var found: [(number: UInt32, title: String)] = []
        var (left, open) = (Self.most, try managed().map { ($0, 0) })
        if open.isEmpty { open = try children(of: connection.screen.root).map { ($0, 1) } }
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
            throw .lost("the display of \(address) shows no window with “\(words.printable())” in its title.")
        }
        guard found.count == 1 else {
            let list = found.prefix(8).map {
                "0x\(String($0.number, radix: 16)) “\($0.title.printable(limit: 60))”"
            }
            throw .refused(
                "\(found.count) windows have “\(words.printable())” in their titles: \(list.joined(separator: ", ")). Name one by its number, as "
                    + "window=0x\(String(only.number, radix: 16)).")
        }
        return only.number
    }

    /// Whether a window is there, shown, and larger than those that programs keep for themselves.
    private func isShown(_ window: UInt32) throws(SourceError) -> Bool {
        let looks = xcb_get_window_attributes(connection.handle, window)
        let place = xcb_get_geometry(connection.handle, window)
        let attributes = try connection.reply(to: looks.sequence, xcb_get_window_attributes_reply_t.self)
        let geometry = try connection.reply(to: place.sequence, xcb_get_geometry_reply_t.self)
        guard let attributes, let geometry else { return false }
        return attributes.pointer.pointee.map_state == XCB_MAP_STATE_VIEWABLE.rawValue
            && geometry.pointer.pointee.width >= 16 && geometry.pointer.pointee.height >= 16
    }

    /// The windows that a window manager has.
    private func managed() throws(SourceError) -> [UInt32] {
        guard let list = try atom("_NET_CLIENT_LIST"),
            let bytes = try property(list, of: connection.screen.root)
        else { return [] }
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count / 4 * 4, by: 4).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
            }
        }
    }

    private func children(of window: UInt32) throws(SourceError) -> [UInt32] {
        let cookie = xcb_query_tree(connection.handle, window)
        guard let reply = try connection.reply(to: cookie.sequence, xcb_query_tree_reply_t.self),
            let first = xcb_query_tree_children(reply.pointer)
        else { return [] }
        return Array(
            UnsafeBufferPointer(start: first, count: Int(xcb_query_tree_children_length(reply.pointer))))
    }

    private func title(of window: UInt32) throws(SourceError) -> String? {
        if let name = try atom("_NET_WM_NAME"), let bytes = try property(name, of: window), !bytes.isEmpty {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let bytes = try property(XCB_ATOM_WM_NAME.rawValue, of: window), !bytes.isEmpty else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func atom(_ name: String) throws(SourceError) -> UInt32? {
        let cookie = xcb_intern_atom(connection.handle, 1, UInt16(name.utf8.count), name)
        guard let reply = try connection.reply(to: cookie.sequence, xcb_intern_atom_reply_t.self) else {
            return nil
        }
        let atom = reply.pointer.pointee.atom
        return atom == 0 ? nil : atom
    }

    private func property(_ name: UInt32, of window: UInt32) throws(SourceError) -> [UInt8]? {
        let cookie = xcb_get_property(
            connection.handle, 0, window, name, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, 4096)
        guard let reply = try connection.reply(to: cookie.sequence, xcb_get_property_reply_t.self) else {
            return nil
        }
        let count = Int(xcb_get_property_value_length(reply.pointer))
        guard count > 0, let start = xcb_get_property_value(reply.pointer) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
