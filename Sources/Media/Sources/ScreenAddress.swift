/// Address of a screen or a part of a screen that is used as a camera: `screen:`, `screen::0`,
/// `screen::0?window=TITLE`, `screen::0?region=1280x720+0+0`, `screen:portal`, `screen:portal/NAME`.
package struct ScreenAddress: Sendable, Hashable {
    /// Captured part of a display.
    package enum Part: Sendable, Hashable {
        /// The whole display, including all of its monitors.
        case wholeDisplay
        /// The window whose title contains this text (case-insensitive), or the window with this X11 window
        /// ID (`0x1c00007`).
        case window(String)
        /// A rectangle of the display.
        case region(PixelRectangle)
    }

    /// X11 display name, such as `:0`. The value is `nil` for the display on which multicam was started
    /// (`DISPLAY`), and for screens shared through the desktop portal.
    package let display: String?
    /// Name under which the portal's token for the shared screen is stored: `portal`, or `portal/NAME` if
    /// several screens are shared.
    package let shareName: String
    /// Captured part of the display.
    package let part: Part
    /// Whether frames include the mouse pointer.
    package let hasCursor: Bool
    /// Size to which frames are scaled, in pixels; `nil` for the screen's own size.
    package let size: FrameSize?
    /// Frame rate of the screen capture.
    package let rate: FrameRate
    /// Selector without size and frame rate. The selector identifies the screen.
    let label: String

    /// Whether the selector explicitly specifies a screen shared through the desktop portal.
    private let isPortal: Bool

    /// Prefix of screen selectors.
    static let scheme = "screen:"
    /// Keyword for screens shared through the desktop portal.
    private static let portal = "portal"
    private static let longestShareName = 32
    /// Default frame rate of screen captures: 30 frames per second.
    private static let defaultRate = FrameRate(30, per: 1)
    private static let expectation =
        "expected screen:, screen:portal, screen::0, screen::0?window=TITLE or screen::0?region=1280x720+0+0, with optional settings after ? or &: cursor=no, "
        + "size=1280x720 or fps=15"

    /// Parses a screen selector.
    ///
    /// - Parameter text: A selector that begins with `screen:`.
    /// - Throws: `AddressError` with the expected syntax.
    init(_ text: String) throws(AddressError) {
        let rest = text.dropFirst(Self.scheme.count)
        let display = rest.prefix { $0 != "?" }
        isPortal = Self.isPortal(display)
        guard display.isEmpty || isPortal || Self.isDisplay(display) else {
            throw .init("“\(display.description.printable())” is not a valid display: \(Self.expectation).")
        }
        var (part, hasCursor) = (Part.wholeDisplay, true)
        var (size, rate) = (FrameSize?.none, Self.defaultRate)
        var named: [String] = []
        for pair in rest.dropFirst(display.count + 1).split(separator: "&") {
            let key = pair.prefix { $0 != "=" }
            guard let value = String(pair.dropFirst(key.count + 1)).percentDecoded, !value.isEmpty else {
                throw .init(
                    "“\(pair.description.printable())” in a screen address has no value: \(Self.expectation)."
                )
            }
            switch key {
            case "window", "region":
                guard part == .wholeDisplay else {
                    throw .init("a screen address can specify either a window or a region, not both.")
                }
                part = key == "window" ? .window(value) : .region(try Self.region(value))
            case "cursor":
                guard ["yes", "no"].contains(value) else {
                    throw .init("invalid screen setting `cursor`: expected `yes` or `no`.")
                }
                hasCursor = value == "yes"
            case "size":
                guard let read = FrameSize(value), read.width >= 16, read.height >= 16,
                    read.width.isMultiple(of: 2), read.height.isMultiple(of: 2)
                else {
                    throw .init(
                        "invalid screen setting `size`: expected an even width and height of at least 16, such as 1280x720."
                    )
                }
                size = read
            case "fps":
                guard let read = FrameRate(value), (1...240).contains(read.perSecond) else {
                    throw .init("invalid screen setting `fps`: expected 1 to 240.")
                }
                rate = read
            default:
                throw .init(
                    "unknown screen setting “\(key.description.printable())”: \(Self.expectation).")
            }
            if !["size", "fps"].contains(key) { named.append(String(pair)) }
        }
        if isPortal, case .window = part {
            throw .init(
                "screen:portal does not support `window`. Omit `window`, and choose the window in the desktop's dialog."
            )
        }
        (self.display, self.part, self.hasCursor) = (
            display.isEmpty || isPortal ? nil : String(display), part, hasCursor
        )
        shareName = isPortal ? String(display) : Self.portal
        (self.size, self.rate) = (size, rate)
        label = Self.scheme + display + (named.isEmpty ? "" : "?" + named.joined(separator: "&"))
    }

    /// Adds a role's requested size and frame rate to a screen selector, unless the selector already
    /// specifies them. Selectors of other devices are returned unchanged.
    ///
    /// - Parameters:
    ///   - selector: A selector of any kind.
    ///   - size: The requested size; `nil` for the screen's size.
    ///   - rate: The requested frame rate; `nil` for 30 frames per second.
    /// - Returns: The selector with size and rate.
    package static func selector(_ selector: String, size: FrameSize?, rate: FrameRate?) -> String {
        guard selector.hasPrefix(scheme) else { return selector }
        var selector = selector
        let known = selector.drop { $0 != "?" }.dropFirst().split(separator: "&")
        func add(_ key: String, _ value: String?) {
            guard let value, !known.contains(where: { $0.hasPrefix(key + "=") }) else { return }
            selector += (selector.contains("?") ? "&" : "?") + "\(key)=\(value)"
        }
        add("size", size?.description)
        add("fps", rate?.description)
        return selector
    }

    /// Whether the screen is shared through the desktop portal, so that the user may have to choose the
    /// screen in a dialog.
    ///
    /// - Parameter environment: The environment variables of the process that captures the screen.
    /// - Returns: `true` if the selector explicitly specifies a shared screen, or if it doesn't name a
    ///   display and the desktop runs on Wayland.
    package func isShared(_ environment: [String: String]) -> Bool {
        isPortal || (display == nil && !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty)
    }

    /// Whether the text is `portal` or `portal/NAME`.
    private static func isPortal(_ text: Substring) -> Bool {
        guard text.hasPrefix(portal + "/") else { return text == portal }
        let name = text.dropFirst(portal.count + 1)
        return (1...longestShareName).contains(name.utf8.count) && name.description.isPlain
    }

    /// Whether the text is an X11 display name: `:0`, `:0.1`, `host:10`.
    private static func isDisplay(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":") else { return false }
        let numbers = text[text.index(after: colon)...].split(
            separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(numbers.count) && numbers.allSatisfy { UInt16($0) != nil }
    }

    private static func region(_ text: String) throws(AddressError) -> PixelRectangle {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = FrameSize(String(parts[0])), size.width >= 16, size.height >= 16,
            let x = UInt16(parts[1]), let y = UInt16(parts[2])
        else {
            throw .init(
                "invalid screen setting `region`: expected a size and a position, such as 1280x720+0+0.")
        }
        return PixelRectangle(x: Int(x), y: Int(y), width: size.width, height: size.height)
    }
}
