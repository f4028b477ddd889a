internal import CLinux
internal import CXCB
internal import Glibc
internal import Media

/// Memory into which an X server puts what it shows: shared with it (MIT-SHM), or filled from its answers where it is elsewhere. Belongs to
/// the connection's thread.
final class XPicture {
    private let connection: XConnection
    private let isSharing: Bool
    /// The shared memory's number at the server; `nil` where none is shared.
    private var segment: UInt32?
    private var memory = SharedBytes(count: 0)
    /// The size of the last picture.
    private(set) var size = FrameSize(width: 0, height: 0)

    /// - Parameter connection: The connection with the server.
    init(_ connection: XConnection) {
        self.connection = connection
        isSharing = xcb_ask_for_shm(connection.handle)?.pointee.present == 1
    }

    deinit { detach() }

    /// What the last picture shows; nothing before there was one.
    var pixels: ScreenPixels {
        ScreenPixels(
            start: memory.start.assumingMemoryBound(to: UInt8.self), stride: size.width * 4, size: size)
    }

    /// Whether there was a picture.
    var hasContent: Bool { size.width > 0 }

    /// Fetches a part of a window or pixmap.
    ///
    /// - Returns: Whether the server gave it.
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

    /// Makes room, shared with the server where it takes it.
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
        nonisolated(unsafe) let mapping = start  // Only the release touches it again.
        let memory = SharedBytes(start: start, count: count) { munmap(mapping, count) }
        let number = connection.newNumber
        // XCB closes the descriptor when it has sent it.
        let cookie = xcb_shm_attach_fd_checked(connection.handle, number, descriptor, 0)
        try connection.waitForServer()
        if let refusal = xcb_request_check(connection.handle, cookie) {
            free(refusal)
            return nil
        }
        return (number, memory)
    }

    /// Tells the server that the memory is no longer used.
    private func detach() {
        if let segment { xcb_shm_detach(connection.handle, segment) }
    }
}
