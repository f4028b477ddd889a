internal import CXCB
internal import Media

/// A display of X11, a window or a region of it. Belongs to the thread that makes it.
///
/// The server tells what was drawn (XDamage), so that nothing is fetched while nothing changes. Windows have a picture of their own
/// (XComposite), whatever lies over them. The pointer is no part of either, and is drawn in (XFixes).
final class XScreen: Screen {
    private let address: SourceAddress
    private let asked: ScreenAddress
    private let connection: XConnection
    private let clock = MonotonicClock()
    private let picture: XPicture
    private let window: UInt32
    private var pointer = XPointer()
    /// What of `source` is fetched.
    private var part: PixelRectangle
    /// The window or its pixmap.
    private var source: UInt32
    /// The number of the first event of XDamage; `nil` where the server has none, and every look finds something new.
    private let damageEvent: UInt8?
    private let damage: UInt32
    private let hasCursor: Bool
    /// The size of the window or its pixmap, with a border that the window has.
    private var whole = FrameSize(width: 0, height: 0)
    /// How often in a row the server did not give what was asked for.
    private var refusals = 0
    private var isDamaged = true
    private var isResized = false
    private var isHidden = false
    private var isGone = false

    /// Most refusals that the changing size of a window explains.
    private static let mostRefusals = 10

    var pixels: ScreenPixels { picture.pixels }

    private var isWindow: Bool { window != connection.setup.screen.root }

    /// Finds what is to be seen.
    ///
    /// - Parameters:
    ///   - address: The screen's address.
    ///   - asked: The same, read.
    ///   - cancellation: Ends waits.
    /// - Throws: `SourceError` when there is no such display or window.
    init(
        _ address: SourceAddress, _ asked: ScreenAddress, _ cancellation: Cancellation
    ) throws(SourceError) {
        (self.address, self.asked) = (address, asked)
        let connection = try XConnection(display: asked.display, address, cancellation)
        self.connection = connection
        let handle = connection.handle
        let hasFixes = xcb_ask_for_xfixes(handle)?.pointee.present == 1
        if hasFixes {
            let cookie = xcb_xfixes_query_version(handle, 4, 0)
            _ = try connection.reply(to: cookie.sequence, xcb_xfixes_query_version_reply_t.self)
        }
        hasCursor = asked.hasCursor && hasFixes
        if case .window(let words) = asked.part {
            window = try XWindows(connection, address).window(words)
        } else {
            window = connection.setup.screen.root
        }
        let looks = xcb_get_window_attributes(handle, window)
        guard let form = try connection.reply(to: looks.sequence, xcb_get_window_attributes_reply_t.self)
        else { throw .lost("the window of \(address) was closed.") }
        guard connection.setup.isReadable(form.pointer.pointee.visual) else {
            throw .refused(
                "\(address) has other pixels than 8 bits each of blue, green and red in 32 (its display has a depth of "
                    + "\(connection.setup.screen.root_depth)): give the X server a depth of 24.")
        }
        var mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        xcb_change_window_attributes(handle, window, XCB_CW_EVENT_MASK.rawValue, &mask)
        let damages = xcb_ask_for_damage(handle)?.pointee
        damage = connection.newNumber
        if let damages, damages.present == 1 {
            let cookie = xcb_damage_query_version(handle, 1, 1)
            _ = try connection.reply(to: cookie.sequence, xcb_damage_query_version_reply_t.self)
            xcb_damage_create(handle, damage, window, UInt8(XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX.rawValue))
            damageEvent = damages.first_event
        } else {
            damageEvent = nil
        }
        picture = XPicture(connection)
        (source, part) = (window, PixelRectangle(x: 0, y: 0, width: 0, height: 0))
        if isWindow {
            guard xcb_ask_for_composite(handle)?.pointee.present == 1 else {
                throw .refused(
                    "the display of \(address) cannot give a window alone (XComposite): name a region.")
            }
            let cookie = xcb_composite_query_version(handle, 0, 4)
            _ = try connection.reply(to: cookie.sequence, xcb_composite_query_version_reply_t.self)
            xcb_composite_redirect_window(handle, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
            source = 0
        }
        try measure()
    }

    func wait(until due: ClockTime, unless cancellation: Cancellation) -> Bool {
        cancellation.wait(until: due)
    }

    func look(isForced: Bool) throws(SourceError) -> ScreenLook {
        let began = clock.now
        let hasPointerMoved = try ask()
        try connection.drainEvents(take)
        guard !isGone else { throw .lost("the window of \(address) was closed.") }
        guard !isHidden else {
            throw .lost("the window of \(address) is not shown: somebody has put it away.")
        }
        if isResized { try measure() }
        guard isForced || isDamaged || hasPointerMoved || damageEvent == nil else {
            // Nothing was drawn until the server answered.
            return ScreenLook(time: began, error: .zero, hasChanged: false)
        }
        if damageEvent != nil { xcb_damage_subtract(connection.handle, damage, 0, 0) }
        isDamaged = false
        let asked = clock.now
        guard try picture.fetch(part, of: source) else {
            // It changed its size, or was put away, in this very moment: the next look knows.
            (isResized, isDamaged) = (true, true)
            refusals += 1
            guard picture.hasContent, refusals < Self.mostRefusals else {
                throw .lost("the display of \(address) does not give what it shows.")
            }
            return ScreenLook(time: asked, error: .zero, hasChanged: false)
        }
        refusals = 0
        let took = clock.now - asked
        if hasCursor { pointer.draw(into: picture.pixels) }
        return ScreenLook(time: asked + took / 2, error: took / 2, hasChanged: true)
    }

    /// Asks for the pointer, or for nothing: what was drawn before is told with the answer.
    ///
    /// - Returns: Whether the pointer looks otherwise.
    private func ask() throws(SourceError) -> Bool {
        guard hasCursor else {
            try connection.waitForServer()
            return false
        }
        let pointers = xcb_xfixes_get_cursor_image(connection.handle)
        var origin = (x: part.x, y: part.y)
        if isWindow {
            let places = xcb_translate_coordinates(
                connection.handle, window, connection.setup.screen.root, 0, 0)
            if let place = try connection.reply(
                to: places.sequence, xcb_translate_coordinates_reply_t.self)
            {
                origin = (Int(place.pointer.pointee.dst_x), Int(place.pointer.pointee.dst_y))
            }
        }
        guard
            let answer = try connection.reply(
                to: pointers.sequence, xcb_xfixes_get_cursor_image_reply_t.self)
        else { return false }
        return pointer.take(answer, origin: origin)
    }

    /// Finds out the size of what is captured, and names a window's picture anew.
    private func measure() throws(SourceError) {
        if isWindow {
            if source != 0 { xcb_free_pixmap(connection.handle, source) }
            source = connection.newNumber
            xcb_composite_name_window_pixmap(connection.handle, window, source)
        }
        let places = [source, window].map { xcb_get_geometry(connection.handle, $0) }
        guard let outer = try connection.reply(to: places[0].sequence, xcb_get_geometry_reply_t.self),
            let inner = try connection.reply(to: places[1].sequence, xcb_get_geometry_reply_t.self)
        else {
            throw .lost("the window of \(address) is not shown: somebody has put it away or closed it.")
        }
        // A window's pixmap has its border, too, which is left out.
        let border = isWindow ? Int(inner.pointer.pointee.border_width) : 0
        whole = FrameSize(width: Int(outer.pointer.pointee.width), height: Int(outer.pointer.pointee.height))
        let size = FrameSize(width: whole.width - 2 * border, height: whole.height - 2 * border)
        part = PixelRectangle(x: border, y: border, width: size.width, height: size.height)
        if case .region(let region) = asked.part {
            guard region.x + region.width <= size.width, region.y + region.height <= size.height else {
                throw .lost("the display of \(address) has \(size), and the region is not within it.")
            }
            part = region
        }
        guard part.size.isPlausible, min(part.width, part.height) >= ScreenFit.leastSide else {
            throw .lost("\(address) is \(size) now, and what is recorded has sides of 16 to 16384 pixels.")
        }
        (isResized, isDamaged) = (false, true)
    }

    private func take(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let memory = UnsafeRawPointer(event)
        switch Int32(event.pointee.response_type & 0x7F) {
        case damageEvent.map { Int32($0) + XCB_DAMAGE_NOTIFY }:
            let area = memory.assumingMemoryBound(to: xcb_damage_notify_event_t.self).pointee.area
            let drawn = PixelRectangle(
                x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height))
            isDamaged = isDamaged || isWindow || part.overlaps(drawn)
        case XCB_CONFIGURE_NOTIFY:
            let place = memory.assumingMemoryBound(to: xcb_configure_notify_event_t.self).pointee
            // Of a window that was only moved nothing changes.
            let border = Int(place.border_width)
            let size = FrameSize(width: Int(place.width) + 2 * border, height: Int(place.height) + 2 * border)
            isResized = isResized || !isWindow || size != whole || border != part.x
        case XCB_UNMAP_NOTIFY: isHidden = true
        case XCB_MAP_NOTIFY: (isHidden, isResized) = (false, true)
        case XCB_DESTROY_NOTIFY: isGone = true
        default: break
        }
    }
}
