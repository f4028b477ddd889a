internal import CMulticamLinux
internal import CMulticamMedia
internal import CMulticamXCB
internal import Glibc
internal import MulticamMedia

/// An X11 display, or a window or region of it. Use this type only on the thread that creates it.
///
/// The server reports changes (XDamage), so nothing is fetched from an unchanged screen. Windows are captured from
/// their own pixmap (XComposite), even if other windows cover them. Captured images don't include the mouse pointer, so
/// it is drawn separately (XFixes).
final class XScreen: Screen {
    private let address: SourceAddress
    private let screenAddress: ScreenAddress
    private let connection: XConnection
    private let clock = MonotonicClock()
    private let picture: XPicture
    private let window: UInt32
    private var pointer = XPointer()
    /// The part of `source` to fetch.
    private var part: PixelRectangle
    /// ID of the captured window or of the window's pixmap.
    private var source: UInt32
    /// First event number of XDamage; `nil` if the server doesn't support XDamage. Without XDamage, every
    /// capture counts as a change.
    private let damageEvent: UInt8?
    private let damage: UInt32
    private let hasCursor: Bool
    /// Size of the window or its pixmap, including the window's border.
    private var whole = FrameSize(width: 0, height: 0)
    /// Number of consecutive requests that the server rejected.
    private var refusals = 0
    private var isDamaged = true
    private var isResized = false
    private var isHidden = false
    private var isGone = false

    /// Maximum number of consecutive rejections that resizing a window can explain.
    private static let mostRefusals = 10

    var pixels: ScreenPixels { picture.pixels }

    private var isWindow: Bool { window != connection.setup.screen.root }

    /// Opens the display, window, or region.
    ///
    /// - Parameters:
    ///   - address: The screen's address.
    ///   - asked: The parsed address.
    ///   - cancellation: Cancels pending waits.
    /// - Throws: `SourceError` if the display or window doesn't exist.
    init(
        _ address: SourceAddress, _ asked: ScreenAddress, _ cancellation: Cancellation
    ) throws(SourceError) {
        (self.address, self.screenAddress) = (address, asked)
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
                "the display of \(address) does not use 32-bit pixels with 8 bits each for blue, green, and red (the display has a depth of "
                    + "\(connection.setup.screen.root_depth)). Set the X server to a depth of 24.")
        }
        var mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        xcb_change_window_attributes(handle, window, XCB_CW_EVENT_MASK.rawValue, &mask)
        let damages = xcb_ask_for_damage(handle)?.pointee
        damage = connection.newID
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
                    "the display of \(address) does not support XComposite, so single windows cannot be captured. Use a region instead."
                )
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

    func capture(isForced: Bool) throws(SourceError) -> ScreenCapture {
        let began = clock.now
        let hasPointerMoved = try updatePointer()
        try connection.drainEvents(handleEvent)
        guard !isGone else { throw .lost("the window of \(address) was closed.") }
        guard !isHidden else {
            throw .lost("the window of \(address) is not visible, because it was minimized.")
        }
        if isResized { try measure() }
        guard isForced || isDamaged || hasPointerMoved || damageEvent == nil else {
            // The screen was unchanged until the server replied.
            return ScreenCapture(time: began, error: .zero, hasChanged: false)
        }
        if damageEvent != nil { xcb_damage_subtract(connection.handle, damage, 0, 0) }
        isDamaged = false
        let asked = clock.now
        guard try picture.fetch(part, of: source) else {
            // The window was just resized or hidden. The next capture detects which.
            (isResized, isDamaged) = (true, true)
            refusals += 1
            guard picture.hasContent, refusals < Self.mostRefusals else {
                throw .lost("the X server did not return an image of \(address).")
            }
            return ScreenCapture(time: asked, error: .zero, hasChanged: false)
        }
        refusals = 0
        let took = clock.now - asked
        if hasCursor { pointer.draw(into: picture.pixels) }
        return ScreenCapture(time: asked + took / 2, error: took / 2, hasChanged: true)
    }

    /// Requests the mouse pointer if it is captured; otherwise, only waits for a reply. The server reports earlier
    /// changes before its reply.
    ///
    /// - Returns: Whether the pointer has changed.
    private func updatePointer() throws(SourceError) -> Bool {
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
        return pointer.update(with: answer, origin: origin)
    }

    /// Queries the size of the captured area, and names the window's pixmap again.
    private func measure() throws(SourceError) {
        if isWindow {
            if source != 0 { xcb_free_pixmap(connection.handle, source) }
            source = connection.newID
            xcb_composite_name_window_pixmap(connection.handle, window, source)
        }
        let places = [source, window].map { xcb_get_geometry(connection.handle, $0) }
        guard let outer = try connection.reply(to: places[0].sequence, xcb_get_geometry_reply_t.self),
            let inner = try connection.reply(to: places[1].sequence, xcb_get_geometry_reply_t.self)
        else {
            throw .lost("the window of \(address) is not visible, because it was minimized or closed.")
        }
        // The window's pixmap includes its border, which isn't captured.
        let border = isWindow ? Int(inner.pointer.pointee.border_width) : 0
        whole = FrameSize(width: Int(outer.pointer.pointee.width), height: Int(outer.pointer.pointee.height))
        let size = FrameSize(width: whole.width - 2 * border, height: whole.height - 2 * border)
        part = PixelRectangle(x: border, y: border, width: size.width, height: size.height)
        if case .region(let region) = screenAddress.part {
            guard region.x + region.width <= size.width, region.y + region.height <= size.height else {
                throw .lost("the region of \(address) extends beyond the captured area (\(size)).")
            }
            part = region
        }
        guard part.size.isPlausible, min(part.width, part.height) >= ScreenFit.leastSide else {
            throw .lost("\(address) is now \(size), but only 16 to 16384 pixels per side can be recorded.")
        }
        (isResized, isDamaged) = (false, true)
    }

    private func handleEvent(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let memory = UnsafeRawPointer(event)
        switch Int32(event.pointee.response_type & 0x7F) {
        case damageEvent.map { Int32($0) + XCB_DAMAGE_NOTIFY }:
            let area = memory.assumingMemoryBound(to: xcb_damage_notify_event_t.self).pointee.area
            let drawn = PixelRectangle(
                x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height))
            isDamaged = isDamaged || isWindow || part.overlaps(drawn)
        case XCB_CONFIGURE_NOTIFY:
            let place = memory.assumingMemoryBound(to: xcb_configure_notify_event_t.self).pointee
            // Moving a window doesn't change its content.
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

/// Memory for the image from an X server, shared with the server (MIT-SHM), or filled from its replies if the server is
/// remote. Use this type only on the connection's thread.
final class XPicture {
    private let connection: XConnection
    private let isSharing: Bool
    /// The server's ID for the shared memory; `nil` if no memory is shared.
    private var segment: UInt32?
    private var memory = SharedBytes(count: 0)
    /// Size of the last image.
    private(set) var size = FrameSize(width: 0, height: 0)

    /// Creates a picture that doesn't contain an image yet.
    ///
    /// - Parameter connection: The connection to the server.
    init(_ connection: XConnection) {
        self.connection = connection
        isSharing = xcb_ask_for_shm(connection.handle)?.pointee.present == 1
    }

    deinit { detach() }

    /// Pixels of the last image; empty before the first one.
    var pixels: ScreenPixels {
        ScreenPixels(
            start: memory.start.assumingMemoryBound(to: UInt8.self), stride: size.width * 4, size: size)
    }

    /// Whether an image has been fetched.
    var hasContent: Bool { size.width > 0 }

    /// Fetches a part of a window or pixmap.
    ///
    /// - Returns: Whether the server delivered the image.
    func fetch(_ part: PixelRectangle, of drawable: UInt32) throws(SourceError) -> Bool {
        let count = part.width * part.height * 4
        if count > memory.count { try grow(to: count) }
        let (x, y) = (Int16(clamping: part.x), Int16(clamping: part.y))
        let (width, height) = (UInt16(clamping: part.width), UInt16(clamping: part.height))
        if let segment {
            let cookie = xcb_shm_get_image(
                connection.handle, drawable, x, y, width, height, ~0,
                UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue),
                segment, 0)
            let reply = try connection.reply(to: cookie.sequence, xcb_shm_get_image_reply_t.self)
            guard reply != nil else { return false }
        } else {
            let cookie = xcb_get_image(
                connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), drawable, x, y, width, height,
                ~0)
            guard let reply = try connection.reply(to: cookie.sequence, xcb_get_image_reply_t.self),
                reply.rest.count >= count, let data = reply.rest.baseAddress
            else { return false }
            memory.start.copyMemory(from: data, byteCount: count)
        }
        size = part.size
        return true
    }

    /// Enlarges the memory. The memory is shared with the server if the server accepts it.
    private func grow(to count: Int) throws(SourceError) {
        let shared = isSharing ? try share(count) : nil
        detach()
        (segment, memory) = (shared?.number, shared?.memory ?? SharedBytes(count: count))
    }

    private func share(_ count: Int) throws(SourceError) -> (number: UInt32, memory: SharedBytes)? {
        let descriptor = linux_make_memory("multicam-screen")
        guard descriptor >= 0 else { return nil }
        guard ftruncate(descriptor, count) == 0,
            let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else {
            close(descriptor)
            return nil
        }
        nonisolated(unsafe) let mapping = start  // The pointer is used again only on release.
        let memory = SharedBytes(start: start, count: count) { munmap(mapping, count) }
        let number = connection.newID
        // XCB closes the descriptor after sending it.
        let cookie = xcb_shm_attach_fd_checked(connection.handle, number, descriptor, 0)
        try connection.waitForServer()
        if let refusal = xcb_request_check(connection.handle, cookie) {
            free(refusal)
            return nil
        }
        return (number, memory)
    }

    /// Detaches the shared memory from the server.
    private func detach() {
        if let segment { xcb_shm_detach(connection.handle, segment) }
    }
}

/// The mouse pointer of a display, to be drawn into captured images. Use this type only on the connection's thread.
struct XPointer {
    private var corner = (x: 0, y: 0)
    private var size = FrameSize(width: 0, height: 0)
    private var serial: UInt32 = 0
    /// Pixels of the pointer as premultiplied B, G, R, A; empty if the server's reply was incomplete.
    private var image: [UInt32] = []

    /// Updates the pointer from the server's reply.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - origin: Origin of the captured image on the screen.
    /// - Returns: Whether the appearance of the pointer, or its position in the image, has changed.
    mutating func update(
        with reply: borrowing XReply<xcb_xfixes_get_cursor_image_reply_t>, origin: (x: Int, y: Int)
    ) -> Bool {
        let answer = reply.pointer.pointee
        let corner = (
            x: Int(answer.x) - Int(answer.xhot) - origin.x, y: Int(answer.y) - Int(answer.yhot) - origin.y
        )
        let size = FrameSize(width: Int(answer.width), height: Int(answer.height))
        let isSame = answer.cursor_serial == serial && corner == self.corner && size == self.size
        guard !isSame else { return false }
        (self.corner, self.size, serial) = (corner, size, answer.cursor_serial)
        image = reply.numbers(size.pixelCount, UInt32.self) ?? []
        return true
    }

    /// Draws the pointer into an image.
    ///
    /// - Parameter pixels: The image.
    func draw(into pixels: ScreenPixels) {
        let left = max(corner.x, 0)
        let top = max(corner.y, 0)
        let width = min(corner.x + size.width, pixels.size.width) - left
        let height = min(corner.y + size.height, pixels.size.height) - top
        guard width > 0, height > 0, !image.isEmpty else { return }
        image.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let target = pixels.start + top * pixels.stride + left * 4
            _ = ARGBBlend(
                source + ((top - corner.y) * size.width + left - corner.x) * 4, Int32(size.width * 4), target,
                Int32(pixels.stride), target, Int32(pixels.stride), Int32(width), Int32(height))
        }
    }
}
