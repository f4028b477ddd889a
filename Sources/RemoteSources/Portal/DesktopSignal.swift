/// Takes what a signal of the desktop's bus has. Belongs to the connection's thread.
final class DesktopSignal {
    /// What it has; `nil` before it came.
    var value: DesktopValue?
}
