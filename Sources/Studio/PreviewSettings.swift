internal import FoundationEssentials
internal import Glibc
internal import MulticamSessionFolder

/// Settings that `multicam preview` passes to `multicam-preview` when it replaces itself with that program.
/// The settings are passed as a single argument that contains one line of JSON.
package struct PreviewSettings: Sendable, Equatable, Codable {
    /// Role of the camera to show; `nil` for the program.
    package var role: String?
    /// Whether the window is in full-screen mode.
    package var isFullScreen: Bool
    /// Number of the display, starting at 1; `nil` to let the desktop choose.
    package var display: Int?
    /// Process ID of the session; `nil` if only one session is running.
    package var process: Int32?

    private enum CodingKeys: String, CodingKey {
        case role
        case isFullScreen = "full_screen"
        case display, process
    }

    /// Creates preview settings. Each parameter sets the property with the same name.
    package init(role: String?, isFullScreen: Bool, display: Int?, process: Int32?) {
        (self.role, self.isFullScreen, self.display, self.process) = (role, isFullScreen, display, process)
    }

    /// Parses the argument. Returns `nil` if the argument is invalid.
    package static func read(_ text: String) -> PreviewSettings? {
        do {
            return try JSONDecoder().decode(PreviewSettings.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// The settings encoded as an argument.
    package var text: String { JSONText.line(self) }
}
