package import Control

/// What the sender of a camera tells of its controls.
package struct ToldControls: Sendable, Equatable, Codable {
    /// All of them, as `multicam controls --json` prints them.
    package var controls: [ControlsReport.Control]
    /// The number of the wish that this answers; `nil` for none.
    package var number: Int?
    /// Names of the controls that do not have what was wished.
    package var refused: [String]?

    /// Tells of controls; each parameter sets the property of its name.
    package init(controls: [ControlsReport.Control], number: Int? = nil, refused: [String]? = nil) {
        (self.controls, self.number, self.refused) = (controls, number, refused)
    }
}
