internal import CXCB

/// What an X server says of itself when it is connected to. XCB's own functions believe the counts in it; here they are held against its
/// length.
struct XSetup {
    /// The screen that was asked for: its root window, size and pixels.
    let screen: xcb_screen_t
    private var readable: Set<UInt32> = []

    /// Reads a server's first answer; `nil` when it is shorter than its counts say, or has no screen.
    ///
    /// - Parameters:
    ///   - bytes: The answer.
    ///   - number: The number of the screen, from 0 on; the last one stands in for a greater one.
    init?(_ bytes: UnsafeRawBufferPointer, screen number: Int) {
        var place = 0
        func next<Part: BitwiseCopyable>(_ type: Part.Type) -> Part? {
            guard place + MemoryLayout<Part>.size <= bytes.count else { return nil }
            defer { place += MemoryLayout<Part>.size }
            return bytes.loadUnaligned(fromByteOffset: place, as: type)
        }
        guard let setup = next(xcb_setup_t.self) else { return nil }
        place += (Int(setup.vendor_len) + 3) / 4 * 4
        var fourBytes: Set<UInt8> = []
        for _ in 0..<setup.pixmap_formats_len {
            guard let format = next(xcb_format_t.self) else { return nil }
            if format.bits_per_pixel == 32 { fourBytes.insert(format.depth) }
        }
        var chosen: xcb_screen_t?
        for index in 0..<Int(setup.roots_len) {
            guard let screen = next(xcb_screen_t.self) else { return nil }
            if index <= number { chosen = screen }
            for _ in 0..<screen.allowed_depths_len {
                guard let depth = next(xcb_depth_t.self) else { return nil }
                for _ in 0..<depth.visuals_len {
                    guard let visual = next(xcb_visualtype_t.self) else { return nil }
                    let hasBytes =
                        visual.red_mask == 0xFF0000 && visual.green_mask == 0xFF00
                        && visual.blue_mask == 0xFF
                    if hasBytes, fourBytes.contains(depth.depth), setup.image_byte_order == 0 {
                        readable.insert(visual.visual_id)
                    }
                }
            }
        }
        guard let chosen else { return nil }
        screen = chosen
    }

    /// Whether pixels of a visual, X11's word for their form, are bytes of B, G, R and a fourth one.
    func isReadable(_ visual: UInt32) -> Bool { readable.contains(visual) }
}
