internal import Media
package import Profiles

/// Scenes, whole arrangements, and the way back.
extension RunningPlan {
    /// Shows a scene: cameras, their places and, where it says so, what is heard.
    mutating func show(scene name: String) throws(SessionChangeError) {
        let scenes = plan.program?.scenes ?? []
        guard var program = plan.program, let scene = scenes.first(where: { $0.name == name }) else {
            throw Self.unknown(name, among: scenes)
        }
        for role in scene.shown { try check(camera: role) }
        for role in scene.mix ?? [] { try checkPresence(ofMicrophone: role) }
        for role in scene.gains.keys.sorted() { try checkPresence(ofMicrophone: role) }
        program.arrange(program.arrangement.showing(scene), cameras: plan.cameras)
        if let mix = scene.mix, hasAudio {
            program.mix = plan.microphones.map(\.role).filter { mix.contains($0) }
        }
        plan.program = program
        for index in plan.microphones.indices {
            if let gain = scene.gains[plan.microphones[index].role] { plan.microphones[index].gain = gain }
        }
    }

    /// Keeps what the program shows and sounds like as a scene, in the place of one of this name where there is one.
    ///
    /// - Throws: `SessionChangeError` when the name is none for a scene, or there is no program.
    package mutating func keepScene(named name: String) throws(SessionChangeError) -> SceneSettings {
        guard SceneSettings.isName(name) else {
            throw SessionChangeError(
                "a scene cannot be named “\(name.printable())”: expected \(SceneSettings.nameRule).")
        }
        guard let scene = plan.scene(named: name, withAudio: hasAudio) else {
            throw SessionChangeError(
                "this session records no program, so there is nothing to keep. Record a profile with a `program`."
            )
        }
        keep(scene)
        return scene
    }

    /// Forgets a scene; what the program shows stays.
    ///
    /// - Throws: `SessionChangeError` when there is none of this name.
    package mutating func forgetScene(named name: String) throws(SessionChangeError) {
        let scenes = plan.program?.scenes ?? []
        guard scenes.contains(where: { $0.name == name }) else { throw Self.unknown(name, among: scenes) }
        dropScene(named: name)
    }

    /// Removes a scene that was forgotten before, where there is one of this name.
    package mutating func dropScene(named name: String) {
        plan.program?.scenes.removeAll { $0.name == name }
    }

    private static func unknown(_ name: String, among scenes: [SceneSettings]) -> SessionChangeError {
        SessionChangeError(
            scenes.isEmpty
                ? "this session has no scenes: name them in `scenes` of the profile, or keep what the program shows with "
                    + "`keep-scene NAME`."
                : "there is no scene “\(name.printable())” in this session: it has \(ProfileValue.list(scenes.map(\.name), nearestTo: name))."
        )
    }

    /// Adds a scene that was kept before.
    package mutating func keep(_ scene: SceneSettings) { plan.program?.scenes.keep(scene) }

    // MARK: Several things at once

    func arrange(
        _ arrangement: inout ProgramArrangement, _ change: ArrangementChange
    ) throws(SessionChangeError) {
        if let layout = change.layout { lay(&arrangement, layout) }
        if let insets = change.insets {
            let layout = arrangement.layout
            try show(&arrangement, [change.main ?? arrangement.main] + insets)
            // `show` leaves `single` where there are several, unless that is what was asked for.
            if change.layout == .single { lay(&arrangement, layout) }
        } else if let main = change.main, main != arrangement.main {
            try swap(&arrangement, with: main)
        }
        if let corner = change.corner { arrangement.corner = corner }
        if let share = change.insetShare { try scale(&arrangement, to: share) }
        if let share = change.marginShare {
            guard (0...0.5).contains(share) else {
                throw SessionChangeError(
                    "a margin is a share of the program's width, from 0 to 0.5, not \(share).")
            }
            arrangement.marginShare = share
        }
        if let border = change.border {
            guard (0...64).contains(border) else {
                throw SessionChangeError("a border has 0 to 64 pixels, not \(border).")
            }
            arrangement.border = border
        }
    }

    func scale(_ arrangement: inout ProgramArrangement, to share: Double) throws(SessionChangeError) {
        guard Self.insetShares.contains(share) else {
            throw SessionChangeError(
                "an inset's width is a share of the program's, from \(Self.insetShares.lowerBound) to "
                    + "\(Self.insetShares.upperBound), not \(share).")
        }
        arrangement.insetShare = share
    }

    /// Shows a camera as the first inset. The one that was there makes room: it takes the camera's place where that was shown.
    func inset(_ arrangement: inout ProgramArrangement, _ role: String) throws(SessionChangeError) {
        try check(camera: role)
        let first = arrangement.insets.firstIndex { !arrangement.hidden.contains($0) }
        if role == arrangement.main {
            guard first != nil else {
                throw SessionChangeError(
                    "camera \(role) is the main one, and there is no other to take its place: name that with `swap`."
                )
            }
            try swap(&arrangement, with: nil)
        } else if let place = arrangement.insets.firstIndex(of: role) {
            if let first, first < place { arrangement.insets.swapAt(first, place) }
        } else if let first {
            arrangement.insets[first] = role
        } else {
            arrangement.insets.insert(role, at: 0)
        }
        arrangement.hidden.remove(role)
        if arrangement.layout == .single { lay(&arrangement, .pip) }
    }

    // MARK: The way back

    /// Notes what the program was before a change, which `undo` returns to.
    package mutating func noteUndone(since before: RunningPlan) {
        let was = ProgramState(of: before.plan)
        if let was, was != ProgramState(of: plan) { lastProgram = was }
    }

    /// Returns to the program as it was before the last change of it.
    mutating func undo() throws(SessionChangeError) {
        guard let last = lastProgram, var program = plan.program else {
            throw SessionChangeError("nothing of the program was changed yet, so there is nothing to undo.")
        }
        for role in last.arrangement.shown { try check(camera: role) }
        for role in last.mix { try checkPresence(ofMicrophone: role) }
        program.arrange(last.arrangement, cameras: plan.cameras)
        program.mix = last.mix
        plan.program = program
        for index in plan.microphones.indices {
            if let gain = last.gains[plan.microphones[index].role] { plan.microphones[index].gain = gain }
        }
    }
}
