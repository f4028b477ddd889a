internal import FoundationEssentials
internal import Glibc
internal import SessionFolder

/// What `multicam preview` tells the program that it becomes, `multicam-preview`: its only argument, a line of JSON.
public struct PreviewSettings: Sendable, Equatable, Codable {
    /// The role of the camera to show; `nil` for the program.
    public var role: String?
    /// Whether the window fills its display.
    public var isFullScreen: Bool
    /// The number of the display, the first one being 1; `nil` where the desktop chooses.
    public var display: Int?
    /// The process identifier of the session; `nil` when only one runs.
    public var process: Int32?

    /// Creates settings; each parameter sets the property of its name.
    public init(role: String?, isFullScreen: Bool, display: Int?, process: Int32?) {
        (self.role, self.isFullScreen, self.display, self.process) = (role, isFullScreen, display, process)
    }

    /// Reads the argument; `nil` when it is none.
    public static func read(_ text: String) -> PreviewSettings? {
        do {
            return try JSONDecoder().decode(PreviewSettings.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// The settings as an argument.
    public var text: String { JSONText.line(self) }
}
