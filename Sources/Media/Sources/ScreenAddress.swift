/// Which screen is a camera, and which part of it: `screen:`, `screen::0`, `screen::0?window=TITLE`, `screen::0?region=1280x720+0+0`,
/// `screen:portal`, `screen:portal/NAME`.
public struct ScreenAddress: Sendable, Hashable {
    /// What of a display is captured.
    public enum Part: Sendable, Hashable {
        /// The whole display, with all its monitors.
        case everything
        /// The window whose title has these words, in any case, or whose number in X11 they are (`0x1c00007`).
        case window(String)
        /// A rectangle of the display.
        case region(PixelRectangle)
    }

    /// The display as X11 names it, such as `:0`; `nil` for the one on which multicam was started (`DISPLAY`), and for what a desktop shares.
    public let display: String?
    /// Under which name a desktop remembers what it shares: `portal`, or `portal/NAME` where there are several.
    public let shareName: String
    /// What of it is captured.
    public let part: Part
    /// Whether the mouse pointer is in the frames.
    public let hasCursor: Bool
    /// The size of the frames, into which the screen is scaled; `nil` for the screen's.
    public let size: FrameSize?
    /// Frames per second.
    public let rate: FrameRate
    /// The selector without size and rate, which names the screen.
    let label: String

    /// Whether it names what the desktop shares, in so many words.
    private let isPortal: Bool

    /// The beginning of such a selector.
    static let scheme = "screen:"
    /// The word for what a desktop shares.
    private static let portal = "portal"
    private static let longestShareName = 32
    /// The rate where nothing else is said, in frames per second.
    private static let usualRate = FrameRate(30, per: 1)
    private static let expectation =
        "expected screen:, screen:portal, screen::0, screen::0?window=TITLE or screen::0?region=1280x720+0+0, and after ? or & cursor=no, "
        + "size=1280x720 or fps=15"

    /// Reads a selector.
    ///
    /// - Parameter text: A selector that begins with `screen:`.
    /// - Throws: `DestinationAddressError` with what is expected.
    init(_ text: String) throws(DestinationAddressError) {
        let rest = text.dropFirst(Self.scheme.count)
        let display = rest.prefix { $0 != "?" }
        isPortal = Self.isPortal(display)
        guard display.isEmpty || isPortal || Self.isDisplay(display) else {
            throw .init("“\(display.description.printable())” is no display: \(Self.expectation).")
        }
        var (part, hasCursor) = (Part.everything, true)
        var (size, rate) = (FrameSize?.none, Self.usualRate)
        var named: [String] = []
        for pair in rest.dropFirst(display.count + 1).split(separator: "&") {
            let key = pair.prefix { $0 != "=" }
            guard let value = String(pair.dropFirst(key.count + 1)).percentDecoded, !value.isEmpty else {
                throw .init(
                    "“\(pair.description.printable())” of a screen has no value: \(Self.expectation).")
            }
            switch key {
            case "window", "region":
                guard part == .everything else {
                    throw .init("a screen has a window or a region, and not two of them.")
                }
                part = key == "window" ? .window(value) : .region(try Self.region(value))
            case "cursor":
                guard ["yes", "no"].contains(value) else {
                    throw .init("a screen's cursor: expected yes or no.")
                }
                hasCursor = value == "yes"
            case "size":
                guard let read = FrameSize(value), read.width >= 16, read.height >= 16,
                    read.width.isMultiple(of: 2), read.height.isMultiple(of: 2)
                else { throw .init("a screen's size: expected even sides from 16 on, such as 1280x720.") }
                size = read
            case "fps":
                guard let read = FrameRate(value), (1...240).contains(read.perSecond) else {
                    throw .init("a screen's fps: expected 1 to 240.")
                }
                rate = read
            default:
                throw .init("a screen has no “\(key.description.printable())”: \(Self.expectation).")
            }
            if !["size", "fps"].contains(key) { named.append(String(pair)) }
        }
        if isPortal, case .window = part {
            throw .init(
                "which window screen:portal is a person chooses in the desktop's dialog: leave `window` out.")
        }
        (self.display, self.part, self.hasCursor) = (
            display.isEmpty || isPortal ? nil : String(display), part, hasCursor
        )
        shareName = isPortal ? String(display) : Self.portal
        (self.size, self.rate) = (size, rate)
        label = Self.scheme + display + (named.isEmpty ? "" : "?" + named.joined(separator: "&"))
    }

    /// A selector with the size and rate that a role wants, where it names a screen without them; another selector as it is.
    ///
    /// - Parameters:
    ///   - selector: A selector of any kind.
    ///   - size: The size that is wanted; `nil` for the screen's.
    ///   - rate: Frames per second; `nil` for 30.
    /// - Returns: The selector.
    public static func asking(_ selector: String, size: FrameSize?, rate: FrameRate?) -> String {
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

    /// Whether a desktop shares it, and a person may have to choose it in a dialog.
    ///
    /// - Parameter environment: The variables of the process that looks at it.
    /// - Returns: `true` where the selector says so, or names no display on Wayland.
    public func isShared(_ environment: [String: String]) -> Bool {
        isPortal || (display == nil && !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty)
    }

    /// Whether a word is `portal` or `portal/NAME`.
    private static func isPortal(_ text: Substring) -> Bool {
        guard text.hasPrefix(portal + "/") else { return text == portal }
        let name = text.dropFirst(portal.count + 1)
        return (1...longestShareName).contains(name.utf8.count) && name.description.isPlain
    }

    /// Whether a word is a display of X11: `:0`, `:0.1`, `host:10`.
    private static func isDisplay(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":") else { return false }
        let numbers = text[text.index(after: colon)...].split(
            separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(numbers.count) && numbers.allSatisfy { UInt16($0) != nil }
    }

    private static func region(_ text: String) throws(DestinationAddressError) -> PixelRectangle {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = FrameSize(String(parts[0])), size.width >= 16, size.height >= 16,
            let x = UInt16(parts[1]), let y = UInt16(parts[2])
        else {
            throw .init("a screen's region: expected its size and its place, such as 1280x720+0+0.")
        }
        return PixelRectangle(x: Int(x), y: Int(y), width: size.width, height: size.height)
    }
}
