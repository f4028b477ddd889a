// This list contains one line for each file in Sources/ControlRoom/Page. A test compares the list with the
// folder.
#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char arrangement_js[] = {
#embed "../ControlRoom/Page/js/wire/arrangement.js"
};
static const unsigned char ask_js[] = {
#embed "../ControlRoom/Page/js/wire/ask.js"
};
static const unsigned char assists_js[] = {
#embed "../ControlRoom/Page/js/pictures/assists.js"
};
static const unsigned char base_css[] = {
#embed "../ControlRoom/Page/style/base.css"
};
static const unsigned char bottom_bar_js[] = {
#embed "../ControlRoom/Page/js/elements/bottom-bar.js"
};
static const unsigned char calibrate_view_js[] = {
#embed "../ControlRoom/Page/js/before/calibrate-view.js"
};
static const unsigned char commands_js[] = {
#embed "../ControlRoom/Page/js/wire/commands.js"
};
static const unsigned char common_js[] = {
#embed "../ControlRoom/Page/js/pages/common.js"
};
static const unsigned char composed_js[] = {
#embed "../ControlRoom/Page/js/pictures/composed.js"
};
static const unsigned char conditions_js[] = {
#embed "../ControlRoom/Page/js/wire/conditions.js"
};
static const unsigned char contact_js[] = {
#embed "../ControlRoom/Page/js/wire/contact.js"
};
static const unsigned char control_names_js[] = {
#embed "../ControlRoom/Page/js/before/control-names.js"
};
static const unsigned char controls_view_js[] = {
#embed "../ControlRoom/Page/js/before/controls-view.js"
};
static const unsigned char dating_js[] = {
#embed "../ControlRoom/Page/js/phone/dating.js"
};
static const unsigned char decoder_js[] = {
#embed "../ControlRoom/Page/js/pictures/decoder.js"
};
static const unsigned char doctor_view_js[] = {
#embed "../ControlRoom/Page/js/before/doctor-view.js"
};
static const unsigned char dom_js[] = {
#embed "../ControlRoom/Page/js/elements/dom.js"
};
static const unsigned char ending_css[] = {
#embed "../ControlRoom/Page/style/ending.css"
};
static const unsigned char ending_js[] = {
#embed "../ControlRoom/Page/js/after/ending.js"
};
static const unsigned char foot_css[] = {
#embed "../ControlRoom/Page/style/foot.css"
};
static const unsigned char group_css[] = {
#embed "../ControlRoom/Page/style/group.css"
};
static const unsigned char group_js[] = {
#embed "../ControlRoom/Page/js/elements/group.js"
};
static const unsigned char health_js[] = {
#embed "../ControlRoom/Page/js/elements/health.js"
};
static const unsigned char icon_svg[] = {
#embed "../ControlRoom/Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../ControlRoom/Page/index.html"
};
static const unsigned char key_sheet_js[] = {
#embed "../ControlRoom/Page/js/elements/key-sheet.js"
};
static const unsigned char keys_js[] = {
#embed "../ControlRoom/Page/js/wire/keys.js"
};
static const unsigned char layout_drawing_js[] = {
#embed "../ControlRoom/Page/js/pictures/layout-drawing.js"
};
static const unsigned char layers_js[] = {
#embed "../ControlRoom/Page/js/pictures/layers.js"
};
static const unsigned char layouts_js[] = {
#embed "../ControlRoom/Page/js/elements/layouts.js"
};
static const unsigned char listen_js[] = {
#embed "../ControlRoom/Page/js/pictures/listen.js"
};
static const unsigned char listener_js[] = {
#embed "../ControlRoom/Page/js/pictures/listener.js"
};
static const unsigned char live_js[] = {
#embed "../ControlRoom/Page/js/elements/live.js"
};
static const unsigned char message_line_js[] = {
#embed "../ControlRoom/Page/js/elements/message-line.js"
};
static const unsigned char meter_js[] = {
#embed "../ControlRoom/Page/js/pictures/meter.js"
};
static const unsigned char multiview_css[] = {
#embed "../ControlRoom/Page/style/multiview.css"
};
static const unsigned char multiview_html[] = {
#embed "../ControlRoom/Page/multiview.html"
};
static const unsigned char multiview_js[] = {
#embed "../ControlRoom/Page/js/pages/multiview.js"
};
static const unsigned char next_view_js[] = {
#embed "../ControlRoom/Page/js/elements/next-view.js"
};
static const unsigned char notes_js[] = {
#embed "../ControlRoom/Page/js/elements/notes.js"
};
static const unsigned char numbers_js[] = {
#embed "../ControlRoom/Page/js/wire/numbers.js"
};
static const unsigned char painting_js[] = {
#embed "../ControlRoom/Page/js/pictures/painting.js"
};
static const unsigned char phone_camera_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-camera.js"
};
static const unsigned char phone_controls_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-controls.js"
};
static const unsigned char phone_keeper_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-keeper.js"
};
static const unsigned char phone_link_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-link.js"
};
static const unsigned char phone_microphone_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-microphone.js"
};
static const unsigned char phone_slices_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-slices.js"
};
static const unsigned char phone_store_worker_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-store-worker.js"
};
static const unsigned char phone_worklet_js[] = {
#embed "../ControlRoom/Page/js/phone/phone-worklet.js"
};
static const unsigned char phone_css[] = {
#embed "../ControlRoom/Page/style/phone.css"
};
static const unsigned char phone_html[] = {
#embed "../ControlRoom/Page/phone.html"
};
static const unsigned char phone_js[] = {
#embed "../ControlRoom/Page/js/phone/phone.js"
};
static const unsigned char phones_view_js[] = {
#embed "../ControlRoom/Page/js/before/phones-view.js"
};
static const unsigned char picture_js[] = {
#embed "../ControlRoom/Page/js/pictures/picture.js"
};
static const unsigned char pictures_css[] = {
#embed "../ControlRoom/Page/style/pictures.css"
};
static const unsigned char plan_view_js[] = {
#embed "../ControlRoom/Page/js/before/plan-view.js"
};
static const unsigned char plate_js[] = {
#embed "../ControlRoom/Page/js/pictures/plate.js"
};
static const unsigned char player_js[] = {
#embed "../ControlRoom/Page/js/after/player.js"
};
static const unsigned char prepare_css[] = {
#embed "../ControlRoom/Page/style/prepare.css"
};
static const unsigned char prepare_js[] = {
#embed "../ControlRoom/Page/js/before/prepare.js"
};
static const unsigned char profile_form_js[] = {
#embed "../ControlRoom/Page/js/before/profile-form.js"
};
static const unsigned char program_view_js[] = {
#embed "../ControlRoom/Page/js/elements/program-view.js"
};
static const unsigned char program_html[] = {
#embed "../ControlRoom/Page/program.html"
};
static const unsigned char program_js[] = {
#embed "../ControlRoom/Page/js/pages/program.js"
};
static const unsigned char record_js[] = {
#embed "../ControlRoom/Page/js/elements/record.js"
};
static const unsigned char recordings_css[] = {
#embed "../ControlRoom/Page/style/recordings.css"
};
static const unsigned char recordings_js[] = {
#embed "../ControlRoom/Page/js/after/recordings.js"
};
static const unsigned char remote_css[] = {
#embed "../ControlRoom/Page/style/remote.css"
};
static const unsigned char remote_html[] = {
#embed "../ControlRoom/Page/remote.html"
};
static const unsigned char remote_js[] = {
#embed "../ControlRoom/Page/js/pages/remote.js"
};
static const unsigned char room_css[] = {
#embed "../ControlRoom/Page/style/room.css"
};
static const unsigned char room_js[] = {
#embed "../ControlRoom/Page/js/pages/room.js"
};
static const unsigned char scenes_js[] = {
#embed "../ControlRoom/Page/js/elements/scenes.js"
};
static const unsigned char sound_css[] = {
#embed "../ControlRoom/Page/style/sound.css"
};
static const unsigned char sound_js[] = {
#embed "../ControlRoom/Page/js/elements/sound.js"
};
static const unsigned char state_css[] = {
#embed "../ControlRoom/Page/style/state.css"
};
static const unsigned char stored_js[] = {
#embed "../ControlRoom/Page/js/wire/stored.js"
};
static const unsigned char studio_js[] = {
#embed "../ControlRoom/Page/js/wire/studio.js"
};
static const unsigned char switching_mode_js[] = {
#embed "../ControlRoom/Page/js/elements/switching-mode.js"
};
static const unsigned char tile_js[] = {
#embed "../ControlRoom/Page/js/elements/tile.js"
};
static const unsigned char timeline_js[] = {
#embed "../ControlRoom/Page/js/elements/timeline.js"
};
static const unsigned char tokens_css[] = {
#embed "../ControlRoom/Page/style/tokens.css"
};
static const unsigned char vitals_js[] = {
#embed "../ControlRoom/Page/js/elements/vitals.js"
};
static const unsigned char words_js[] = {
#embed "../ControlRoom/Page/js/wire/words.js"
};
static const unsigned char yaml_edit_js[] = {
#embed "../ControlRoom/Page/js/before/yaml-edit.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

const page_file page_files[] = {
    FILE("arrangement.js", arrangement_js),
    FILE("ask.js", ask_js),
    FILE("assists.js", assists_js),
    FILE("base.css", base_css),
    FILE("bottom-bar.js", bottom_bar_js),
    FILE("calibrate-view.js", calibrate_view_js),
    FILE("commands.js", commands_js),
    FILE("common.js", common_js),
    FILE("composed.js", composed_js),
    FILE("conditions.js", conditions_js),
    FILE("contact.js", contact_js),
    FILE("control-names.js", control_names_js),
    FILE("controls-view.js", controls_view_js),
    FILE("dating.js", dating_js),
    FILE("decoder.js", decoder_js),
    FILE("doctor-view.js", doctor_view_js),
    FILE("dom.js", dom_js),
    FILE("ending.css", ending_css),
    FILE("ending.js", ending_js),
    FILE("foot.css", foot_css),
    FILE("group.css", group_css),
    FILE("group.js", group_js),
    FILE("health.js", health_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("key-sheet.js", key_sheet_js),
    FILE("keys.js", keys_js),
    FILE("layout-drawing.js", layout_drawing_js),
    FILE("layers.js", layers_js),
    FILE("layouts.js", layouts_js),
    FILE("listen.js", listen_js),
    FILE("listener.js", listener_js),
    FILE("live.js", live_js),
    FILE("message-line.js", message_line_js),
    FILE("meter.js", meter_js),
    FILE("multiview.css", multiview_css),
    FILE("multiview.html", multiview_html),
    FILE("multiview.js", multiview_js),
    FILE("next-view.js", next_view_js),
    FILE("notes.js", notes_js),
    FILE("numbers.js", numbers_js),
    FILE("painting.js", painting_js),
    FILE("phone-camera.js", phone_camera_js),
    FILE("phone-controls.js", phone_controls_js),
    FILE("phone-keeper.js", phone_keeper_js),
    FILE("phone-link.js", phone_link_js),
    FILE("phone-microphone.js", phone_microphone_js),
    FILE("phone-slices.js", phone_slices_js),
    FILE("phone-store-worker.js", phone_store_worker_js),
    FILE("phone-worklet.js", phone_worklet_js),
    FILE("phone.css", phone_css),
    FILE("phone.html", phone_html),
    FILE("phone.js", phone_js),
    FILE("phones-view.js", phones_view_js),
    FILE("picture.js", picture_js),
    FILE("pictures.css", pictures_css),
    FILE("plan-view.js", plan_view_js),
    FILE("plate.js", plate_js),
    FILE("player.js", player_js),
    FILE("prepare.css", prepare_css),
    FILE("prepare.js", prepare_js),
    FILE("profile-form.js", profile_form_js),
    FILE("program-view.js", program_view_js),
    FILE("program.html", program_html),
    FILE("program.js", program_js),
    FILE("record.js", record_js),
    FILE("recordings.css", recordings_css),
    FILE("recordings.js", recordings_js),
    FILE("remote.css", remote_css),
    FILE("remote.html", remote_html),
    FILE("remote.js", remote_js),
    FILE("room.css", room_css),
    FILE("room.js", room_js),
    FILE("scenes.js", scenes_js),
    FILE("sound.css", sound_css),
    FILE("sound.js", sound_js),
    FILE("state.css", state_css),
    FILE("stored.js", stored_js),
    FILE("studio.js", studio_js),
    FILE("switching-mode.js", switching_mode_js),
    FILE("tile.js", tile_js),
    FILE("timeline.js", timeline_js),
    FILE("tokens.css", tokens_css),
    FILE("vitals.js", vitals_js),
    FILE("words.js", words_js),
    FILE("yaml-edit.js", yaml_edit_js),
};
const size_t page_file_count = sizeof page_files / sizeof page_files[0];
